-- Lines of stage logs on their way to the bucket. A row goes when the bucket has it.
CREATE TABLE IF NOT EXISTS LogJournal (
    Seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    Log VARCHAR(400) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    At BIGINT NOT NULL,
    `Lines` LONGBLOB NOT NULL,
    KEY LogJournal_Log (Log, Seq),
    KEY LogJournal_At (At)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Logs that have ended or are about to: their lines go to the bucket at once.
CREATE TABLE IF NOT EXISTS LogEnd (
    Log VARCHAR(400) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    At BIGINT NOT NULL,
    KEY LogEnd_At (At)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
