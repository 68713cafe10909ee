// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import java.nio.file.Path;

/// What is printed when everything runs: where it is, and three lines to paste.
record Welcome(Place place, Programs programs, int sitePort) {
    String text(String brokenId) {
        var pipectl =
                "%s %%s --address %s --api-key-file %s --insecure%%s"
                        .formatted(
                                shown(Path.of(programs.bin("pipectl"))),
                                place.address(),
                                shown(place.apiKey()));
        return """

        PipeCD is running.

          Web UI           http://%s
          User, password   %s / %s
          Demo repository  %s
          Published page   http://localhost:%d

        Three things to try, in another terminal, in this folder:

          Change the page, then approve the deployment in the browser:
            (cd %s && sed -i "s/version [^<]*/version $(date +%%T)/" site/index.html && git commit -qam "Change the page")

          List the deployments:
            %s

          Run the sample that fails and watch it being rolled back:
            %s

        Logs are in %s. Ctrl-C stops everything.
        """
                .formatted(
                        place.address(),
                        Settings.USER,
                        Settings.PASSWORD,
                        shown(place.repository()),
                        sitePort,
                        shown(place.repository()),
                        pipectl.formatted("deployment list", ""),
                        pipectl.formatted("application sync", " --app-id " + brokenId),
                        shown(place.data().resolve("logs")));
    }

    /// Short where it is below the folder the person is in, and fit to paste.
    private static String shown(Path path) {
        var here = Path.of("").toAbsolutePath();
        var text = (path.startsWith(here) ? here.relativize(path) : path).toString();
        return text.matches("[\\w./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
