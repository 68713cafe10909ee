-- Sessions that were ended before their time; the id is a digest of the token.
CREATE TABLE IF NOT EXISTS RevokedSession (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    ExpiresAt BIGINT NOT NULL,
    KEY RevokedSession_ExpiresAt (ExpiresAt)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The trail tells also by which door and from where, and the fields that changed.
ALTER TABLE `Change` ADD COLUMN Via VARCHAR(32) NOT NULL DEFAULT '';
ALTER TABLE `Change` ADD COLUMN Origin VARCHAR(255) NOT NULL DEFAULT '';
ALTER TABLE `Change` ADD COLUMN `Before` MEDIUMTEXT NOT NULL DEFAULT ('');
ALTER TABLE `Change` ADD COLUMN `After` MEDIUMTEXT NOT NULL DEFAULT ('');
CREATE INDEX Change_Subject ON `Change` (ProjectId, SubjectId, Seq);
CREATE INDEX Change_Actor ON `Change` (ProjectId, Actor, Seq);

-- One row a completed deployment, derived from it: figures are counted over these.
CREATE TABLE IF NOT EXISTS Delivery (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    ProjectId VARCHAR(255) NOT NULL,
    ApplicationId VARCHAR(255) NOT NULL,
    Labels TEXT NOT NULL,
    CompletedAt BIGINT NOT NULL,
    Status INT NOT NULL,
    -- Seconds, below zero where there is nothing to tell.
    LeadTime BIGINT NOT NULL,
    RestoreTime BIGINT NOT NULL,
    KEY Delivery_Project (ProjectId, CompletedAt, Status, LeadTime, RestoreTime),
    KEY Delivery_Application (ApplicationId, CompletedAt, Status)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- How far the figures are: behind which deployment of the first reading, and which place of the trail.
CREATE TABLE IF NOT EXISTS InsightMark (
    Id INT NOT NULL PRIMARY KEY,
    AfterId VARCHAR(255) NOT NULL,
    Seq BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
