-- Events, the commits they came of, chains of deployments, and the way from a deployment to both.

CREATE TABLE Event (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    Name TEXT AS (json_extract(Data, '$.name')) VIRTUAL,
    EventKey TEXT AS (json_extract(Data, '$.event_key')) VIRTUAL,
    Status INTEGER AS (ifnull(json_extract(Data, '$.status'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX Event_Project ON Event (ProjectId, UpdatedAt DESC, Id);
CREATE INDEX Event_Name ON Event (ProjectId, Name, UpdatedAt DESC, Id);
CREATE INDEX Event_Status ON Event (ProjectId, Status, UpdatedAt DESC, Id);
CREATE INDEX Event_Created ON Event (ProjectId, CreatedAt DESC, Id);
CREATE INDEX Event_StatusCreated ON Event (ProjectId, Status, CreatedAt DESC, Id);
CREATE INDEX Event_Key ON Event (ProjectId, EventKey, CreatedAt DESC, Id);

CREATE TABLE DeploymentTrace (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    CommitHash TEXT AS (json_extract(Data, '$.commit_hash')) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX DeploymentTrace_Project ON DeploymentTrace (ProjectId, UpdatedAt DESC, Id);
CREATE INDEX DeploymentTrace_Commit ON DeploymentTrace (ProjectId, CommitHash, UpdatedAt DESC, Id);

CREATE TABLE DeploymentChain (
    Id TEXT NOT NULL PRIMARY KEY,
    Data TEXT NOT NULL,
    Version INTEGER NOT NULL,
    Extra TEXT AS (json_extract(Data, '$._extra')) VIRTUAL,
    ProjectId TEXT AS (json_extract(Data, '$.project_id')) VIRTUAL,
    Status INTEGER AS (ifnull(json_extract(Data, '$.status'), 0)) VIRTUAL,
    CreatedAt INTEGER AS (json_extract(Data, '$.created_at')) VIRTUAL,
    UpdatedAt INTEGER AS (json_extract(Data, '$.updated_at')) VIRTUAL
);
CREATE INDEX DeploymentChain_Project ON DeploymentChain (ProjectId, UpdatedAt DESC, Id);
-- Statuses below 2 are the ones not completed.
CREATE INDEX DeploymentChain_Live ON DeploymentChain (CreatedAt) WHERE Status < 2;

ALTER TABLE Deployment ADD COLUMN
    DeploymentChainId TEXT AS (json_extract(Data, '$.deployment_chain_id')) VIRTUAL;
ALTER TABLE Deployment ADD COLUMN
    DeploymentTraceCommitHash TEXT AS (json_extract(Data, '$.deployment_trace_commit_hash')) VIRTUAL;
CREATE INDEX Deployment_Chain ON Deployment (DeploymentChainId, Id) WHERE DeploymentChainId IS NOT NULL;
CREATE INDEX Deployment_Trace ON Deployment (ProjectId, DeploymentTraceCommitHash, UpdatedAt DESC, Id)
    WHERE DeploymentTraceCommitHash IS NOT NULL;

-- What nobody carried out, oldest first.
CREATE INDEX Command_Waiting ON Command (CreatedAt, Id) WHERE Status = 0;
