CREATE TABLE Project (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);

-- Sessions that were ended before their time; the id is a digest of the token.
CREATE TABLE RevokedSession (
    Id TEXT NOT NULL PRIMARY KEY,
    ExpiresAt INTEGER NOT NULL
);
CREATE INDEX RevokedSession_ExpiresAt ON RevokedSession (ExpiresAt);

-- The trail tells also by which door and from where, and the fields that changed.
ALTER TABLE Change ADD COLUMN Via TEXT NOT NULL DEFAULT '';
ALTER TABLE Change ADD COLUMN Origin TEXT NOT NULL DEFAULT '';
ALTER TABLE Change ADD COLUMN Before TEXT NOT NULL DEFAULT '';
ALTER TABLE Change ADD COLUMN After TEXT NOT NULL DEFAULT '';
-- What agents report outnumbers all else by far and is not asked for.
CREATE INDEX Change_Audit ON Change (ProjectId, Seq) WHERE Via <> 'AGENT';
CREATE INDEX Change_Subject ON Change (ProjectId, SubjectId, Seq);
CREATE INDEX Change_Actor ON Change (ProjectId, Actor, Seq);

-- One row a completed deployment, derived from it: figures are counted over these.
CREATE TABLE Delivery (
    Id TEXT NOT NULL PRIMARY KEY,
    ProjectId TEXT NOT NULL,
    ApplicationId TEXT NOT NULL,
    Labels TEXT NOT NULL,
    CompletedAt INTEGER NOT NULL,
    Status INTEGER NOT NULL,
    -- Seconds; below zero where there is nothing to tell.
    LeadTime INTEGER NOT NULL,
    RestoreTime INTEGER NOT NULL
);
CREATE INDEX Delivery_Project ON Delivery (ProjectId, CompletedAt, Status, LeadTime, RestoreTime);
CREATE INDEX Delivery_Application ON Delivery (ApplicationId, CompletedAt, Status);

-- How far the figures are: behind which deployment of the first reading, and which place of the trail.
CREATE TABLE InsightMark (
    Id INTEGER NOT NULL PRIMARY KEY,
    AfterId TEXT NOT NULL,
    Seq INTEGER NOT NULL
);
