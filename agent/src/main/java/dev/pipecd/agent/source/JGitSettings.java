// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;
import org.jspecify.annotations.Nullable;

/// JGit told to leave people's Git settings alone: it only reads our own mirrors.
final class JGitSettings {
    private static final Duration COARSEST_CLOCK = Duration.ofSeconds(2);

    private JGitSettings() {}

    /// Otherwise JGit starts `git` to look for the system's settings, and writes into the home
    /// folder.
    static void install() {
        var machine = SystemReader.getInstance();
        if (!(machine instanceof OwnSettingsOnly))
            SystemReader.setInstance(new OwnSettingsOnly(machine));
    }

    private static final class OwnSettingsOnly extends SystemReader.Delegate {
        private final SystemReader machine;

        OwnSettingsOnly(SystemReader machine) {
            super(machine);
            this.machine = machine;
        }

        @Override
        public FileBasedConfig openUserConfig(Config parent, FS fs) {
            return new InMemory(parent, fs);
        }

        @Override
        public FileBasedConfig openSystemConfig(Config parent, FS fs) {
            var settings = new InMemory(parent, fs);
            // Two fetches within one tick of the file clock would otherwise look like one.
            settings.setString("core", null, "trustStat", "never");
            // Or every look at an object lists the folder of packs, one caller after the other.
            // JGit
            // does not trust a folder that was changed in the last seconds.
            settings.setString("core", null, "trustPackStat", "always");
            return settings;
        }

        @Override
        public FileBasedConfig openJGitConfig(Config parent, FS fs) {
            return new InMemory(parent, fs);
        }

        @Override
        public Instant now() {
            return machine.now();
        }

        @Override
        public ZoneOffset getTimeZoneAt(Instant when) {
            return machine.getTimeZoneAt(when);
        }
    }

    @SuppressWarnings("NullAway") // JGit's own way to say "no file"
    private static final class InMemory extends FileBasedConfig {
        InMemory(Config parent, FS fs) {
            super(parent, null, fs);
        }

        /// How coarse the clock of the file system is: as coarse as any. JGit would otherwise find
        /// it out by writing files for a second at each start.
        @Override
        public long getTimeUnit(
                String section,
                @Nullable String subsection,
                String name,
                long otherwise,
                TimeUnit unit) {
            return section.equals("filesystem")
                    ? unit.convert(COARSEST_CLOCK)
                    : super.getTimeUnit(section, subsection, name, otherwise, unit);
        }

        @Override
        public void load() {}

        @Override
        public void save() {}

        @Override
        public boolean isOutdated() {
            return false;
        }
    }
}
