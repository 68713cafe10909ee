-- Our own tables; the public server does not look at them.

-- The trail: written in the transaction of the change it tells of, never altered.
CREATE TABLE IF NOT EXISTS `Change` (
    Seq BIGINT NOT NULL PRIMARY KEY,
    ProjectId VARCHAR(255) NOT NULL,
    Kind VARCHAR(64) NOT NULL,
    SubjectId VARCHAR(255) NOT NULL,
    PipedId VARCHAR(255) NOT NULL,
    Actor VARCHAR(255) NOT NULL,
    What TEXT NOT NULL,
    At BIGINT NOT NULL,
    KEY Change_Project (ProjectId, Seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Rows to be locked: the last number of the trail, and one a kind whose twins are looked for before one is added.
CREATE TABLE IF NOT EXISTS Counter (
    Name VARCHAR(64) NOT NULL PRIMARY KEY,
    Value BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO Counter (Name, Value) VALUES ('Change', 0) ON DUPLICATE KEY UPDATE Value = Value;

-- The last commit of each writer, so that one whose connection broke in a commit can find out.
CREATE TABLE IF NOT EXISTS WriterMark (
    Writer CHAR(36) NOT NULL PRIMARY KEY,
    Number BIGINT NOT NULL,
    At BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
