-- One table a kind: the document, its version, and generated columns for what is searched.

CREATE TABLE Application (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    PipedId TEXT AS (json_extract(Data, '$.piped_id')) VIRTUAL,
    Name TEXT AS (json_extract(Data, '$.name')) VIRTUAL,
    Kind INTEGER AS (ifnull(json_extract(Data, '$.kind'), 0)) VIRTUAL,
    SyncState_Status INTEGER AS (ifnull(json_extract(Data, '$.sync_state.status'), 0)) VIRTUAL,
    RepositoryId TEXT AS (ifnull(json_extract(Data, '$.git_path.repo.id'), '')) VIRTUAL,
    Path TEXT AS (ifnull(json_extract(Data, '$.git_path.path'), '')) VIRTUAL,
    ConfigFilename TEXT AS (ifnull(json_extract(Data, '$.git_path.config_filename'), '')) VIRTUAL,
    Disabled INTEGER AS (ifnull(json_extract(Data, '$.disabled'), 0)) VIRTUAL,
    Deleted INTEGER AS (ifnull(json_extract(Data, '$.deleted'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX Application_Project ON Application (ProjectId, UpdatedAt DESC, Id);
CREATE INDEX Application_Name ON Application (ProjectId, Name, UpdatedAt DESC, Id);
CREATE INDEX Application_SyncState ON Application (ProjectId, SyncState_Status, UpdatedAt DESC, Id);
CREATE INDEX Application_Piped ON Application (PipedId, RepositoryId, Path);

CREATE TABLE Deployment (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    PipedId TEXT AS (json_extract(Data, '$.piped_id')) VIRTUAL,
    ApplicationId TEXT AS (json_extract(Data, '$.application_id')) VIRTUAL,
    ApplicationName TEXT AS (json_extract(Data, '$.application_name')) VIRTUAL,
    Kind INTEGER AS (ifnull(json_extract(Data, '$.kind'), 0)) VIRTUAL,
    Status INTEGER AS (ifnull(json_extract(Data, '$.status'), 0)) VIRTUAL,
    CompletedAt INTEGER AS (json_extract(Data, '$.completed_at')) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX Deployment_Project ON Deployment (ProjectId, UpdatedAt DESC, Id);
CREATE INDEX Deployment_Application ON Deployment (ApplicationId, UpdatedAt DESC, Id);
CREATE INDEX Deployment_ApplicationName ON Deployment (ProjectId, ApplicationName, UpdatedAt DESC, Id);
CREATE INDEX Deployment_Status ON Deployment (ProjectId, Status, UpdatedAt DESC, Id);
-- Statuses below 4 are the ones not completed.
CREATE INDEX Deployment_Live ON Deployment (PipedId) WHERE Status < 4;

CREATE TABLE Command (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    PipedId TEXT AS (json_extract(Data, '$.piped_id')) VIRTUAL,
    Status INTEGER AS (ifnull(json_extract(Data, '$.status'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX Command_Unhandled ON Command (PipedId, CreatedAt, Id) WHERE Status = 0;

CREATE TABLE Piped (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    Disabled INTEGER AS (ifnull(json_extract(Data, '$.disabled'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX Piped_Project ON Piped (ProjectId);

CREATE TABLE APIKey (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    Disabled INTEGER AS (ifnull(json_extract(Data, '$.disabled'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX APIKey_Project ON APIKey (ProjectId);

-- The trail: written in the transaction of the change it tells of, never altered.
CREATE TABLE Change (
    Seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ProjectId TEXT NOT NULL,
    Kind TEXT NOT NULL,
    SubjectId TEXT NOT NULL,
    PipedId TEXT NOT NULL,
    Actor TEXT NOT NULL,
    What TEXT NOT NULL,
    At INTEGER NOT NULL
);
CREATE INDEX Change_Project ON Change (ProjectId, Seq);
