// SPDX-License-Identifier: Apache-2.0
export type ServerEvent = { event: string; id: string; data: string };

/** Cuts a stream of text into server-sent events; chunks may end anywhere. */
export class EventParser {
  private rest = "";
  private event = "";
  private id = "";
  private data: string[] = [];

  push(chunk: string): ServerEvent[] {
    const lines = (this.rest + chunk).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.line(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  private line(line: string): ServerEvent[] {
    if (line === "") return this.dispatch();
    if (line.startsWith(":")) return []; // keep-alive
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    if (field === "id") this.id = value;
    if (field === "data") this.data.push(value);
    return [];
  }

  private dispatch(): ServerEvent[] {
    const found = this.data.length > 0;
    const event = { event: this.event || "message", id: this.id, data: this.data.join("\n") };
    this.event = "";
    this.data = [];
    return found ? [event] : [];
  }
}
