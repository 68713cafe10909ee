// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.journal.Entry.Queued;
import java.util.ArrayList;
import java.util.List;

/// A control plane that takes what is sent together one by one, as ours does.
public interface EachInTurn extends Outbox.Sender {
    Outbox.Answer send(String call, byte[] body);

    @Override
    default List<Outbox.Answer> send(List<Queued> reports) {
        var answers = new ArrayList<Outbox.Answer>();
        for (var report : reports) {
            var answer = send(report.call(), report.body());
            answers.add(answer);
            if (answer instanceof Outbox.Answer.ComeAgain) break;
        }
        return answers;
    }
}
