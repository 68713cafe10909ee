-- Files that are written again and again, on their way to the bucket. The newest content waits until the bucket has it;
-- the number stays, so that nobody takes older content for newer.
CREATE TABLE IF NOT EXISTS FileJournal (
    File VARCHAR(400) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    Number BIGINT NOT NULL,
    At BIGINT NULL,
    Content LONGBLOB NULL,
    KEY FileJournal_At (At)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
