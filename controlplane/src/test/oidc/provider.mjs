// SPDX-License-Identifier: Apache-2.0
// An OpenID provider with real login and consent pages; prints its issuer once it listens.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "pipecd",
        client_secret: "canary-secret-of-the-client",
        redirect_uris: ["https://pipecd.example/auth/callback"],
      },
    ],
    claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"] },
    scopes: ["openid", "profile", "groups"],
    cookies: { keys: ["a key of the test"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: ["Editor", "others"] }),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
process.stdin.on("end", () => process.exit(0)).resume(); // ends with the test that started it
