-- The public schema, name for name: a database of the public server is taken over as it stands and can be handed back. Every statement
-- may find its work done; nothing is ever added to these tables.

CREATE TABLE IF NOT EXISTS Project (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS Application (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Disabled BOOL GENERATED ALWAYS AS (IF(Data->>'$.disabled' = 'true', TRUE, FALSE)) STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS Command (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS Deployment (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS Piped (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Disabled BOOL GENERATED ALWAYS AS (IF(Data->>'$.disabled' = 'true', TRUE, FALSE)) STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS APIKey (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Disabled BOOL GENERATED ALWAYS AS (IF(Data->>'$.disabled' = 'true', TRUE, FALSE)) STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS Event (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS DeploymentChain (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS DeploymentTrace (
    Id BINARY(16) PRIMARY KEY,
    Data JSON NOT NULL,
    ProjectId VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.project_id') STORED NOT NULL,
    Extra VARCHAR(100) GENERATED ALWAYS AS (Data->>'$._extra') STORED,
    CreatedAt INT GENERATED ALWAYS AS (Data->>'$.created_at') STORED NOT NULL,
    UpdatedAt INT GENERATED ALWAYS AS (Data->>'$.updated_at') STORED NOT NULL
) ENGINE = InnoDB;

ALTER TABLE Application ADD COLUMN Name VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.name') VIRTUAL NOT NULL;
ALTER TABLE Application ADD COLUMN Kind INT GENERATED ALWAYS AS (IFNULL(Data->>'$.kind', 0)) VIRTUAL NOT NULL;
ALTER TABLE Application ADD COLUMN SyncState_Status INT GENERATED ALWAYS AS (IFNULL(Data->>'$.sync_state.status', 0)) VIRTUAL NOT NULL;
ALTER TABLE Application ADD COLUMN PipedId VARCHAR(36) GENERATED ALWAYS AS (Data->>'$.piped_id') VIRTUAL NOT NULL;

ALTER TABLE Command ADD COLUMN Status INT GENERATED ALWAYS AS (IFNULL(Data->>'$.status', 0)) VIRTUAL NOT NULL;
ALTER TABLE Command ADD COLUMN PipedId VARCHAR(36) GENERATED ALWAYS AS (Data->>'$.piped_id') VIRTUAL NOT NULL;

ALTER TABLE Deployment ADD COLUMN ApplicationId VARCHAR(36) GENERATED ALWAYS AS (Data->>'$.application_id') VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN ApplicationName VARCHAR(36) GENERATED ALWAYS AS (Data->>'$.application_name') VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN Kind INT GENERATED ALWAYS AS (IFNULL(Data->>'$.kind', 0)) VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN Status INT GENERATED ALWAYS AS (IFNULL(Data->>'$.status', 0)) VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN PipedId VARCHAR(36) GENERATED ALWAYS AS (Data->>'$.piped_id') VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN CompletedAt INT GENERATED ALWAYS AS (Data->>'$.completed_at') VIRTUAL NULL;
ALTER TABLE Deployment ADD COLUMN DeploymentChainId VARCHAR(36) GENERATED ALWAYS AS (IFNULL(Data->>'$.deployment_chain_id', '')) VIRTUAL NOT NULL;
ALTER TABLE Deployment ADD COLUMN DeploymentTraceCommitHash VARCHAR(40) GENERATED ALWAYS AS (IFNULL(Data->>'$.deployment_trace_commit_hash', '')) VIRTUAL NOT NULL;

ALTER TABLE Event ADD COLUMN EventKey VARCHAR(64) GENERATED ALWAYS AS (Data->>'$.event_key') VIRTUAL NOT NULL;
ALTER TABLE Event ADD COLUMN Name VARCHAR(50) GENERATED ALWAYS AS (Data->>'$.name') VIRTUAL NOT NULL;
ALTER TABLE Event ADD COLUMN Status INT GENERATED ALWAYS AS (IFNULL(Data->>'$.status', 0)) VIRTUAL NOT NULL;

ALTER TABLE DeploymentChain ADD COLUMN Status INT GENERATED ALWAYS AS (IFNULL(Data->>'$.status', 0)) VIRTUAL NOT NULL;

ALTER TABLE DeploymentTrace ADD COLUMN CommitHash VARCHAR(40) GENERATED ALWAYS AS (IFNULL(Data->>'$.commit_hash', '')) VIRTUAL NOT NULL;

CREATE INDEX application_disabled_updated_at_desc ON Application (Disabled, UpdatedAt DESC);
CREATE INDEX application_name_updated_at_desc ON Application (Name, UpdatedAt DESC);
CREATE INDEX application_kind_updated_at_desc ON Application (Kind, UpdatedAt DESC);
CREATE INDEX application_sync_state_updated_at_desc ON Application (SyncState_Status, UpdatedAt DESC);
CREATE INDEX application_project_id_updated_at_desc ON Application (ProjectId, UpdatedAt DESC);
CREATE INDEX application_piped_id_updated_at_desc ON Application (PipedId, UpdatedAt DESC);
CREATE INDEX command_status_created_at_asc ON Command (Status, CreatedAt);
CREATE INDEX command_piped_id ON Command (PipedId);
CREATE INDEX deployment_application_id_updated_at_desc ON Deployment (ApplicationId, UpdatedAt DESC);
CREATE INDEX deployment_application_name_updated_at_desc ON Deployment (ApplicationName, UpdatedAt DESC);
CREATE INDEX deployment_project_id_updated_at_desc ON Deployment (ProjectId, UpdatedAt DESC);
CREATE INDEX deployment_kind_updated_at_desc ON Deployment (Kind, UpdatedAt DESC);
CREATE INDEX deployment_status_updated_at_desc ON Deployment (Status, UpdatedAt DESC);
CREATE INDEX deployment_piped_id ON Deployment (PipedId);
CREATE INDEX deployment_completed_at_desc_id ON Deployment (CompletedAt DESC, Id);
CREATE INDEX deployment_completed_at_id_asc ON Deployment (CompletedAt, Id);
CREATE INDEX deployment_chain_id_updated_at_desc ON Deployment (DeploymentChainId, UpdatedAt DESC);
CREATE INDEX deployment_trace_commit_hash_updated_at_desc ON Deployment (DeploymentTraceCommitHash, UpdatedAt DESC);
CREATE INDEX event_project_id_created_at_asc ON Event (ProjectId, CreatedAt);
CREATE INDEX event_project_id_created_at_desc ON Event (ProjectId, CreatedAt DESC);
CREATE INDEX event_project_id_updated_at_desc ON Event (ProjectId, UpdatedAt DESC);
CREATE INDEX event_event_key_name_project_id_created_at_desc ON Event (EventKey, Name, ProjectId, CreatedAt DESC);
CREATE INDEX event_project_id_status_created_at_desc ON Event (ProjectId, Status, CreatedAt DESC);
CREATE INDEX event_project_id_status_updated_at_desc ON Event (ProjectId, Status, UpdatedAt DESC);
CREATE INDEX event_name_project_id_updated_at_desc ON Event (Name, ProjectId, UpdatedAt DESC);
CREATE INDEX event_name_project_id_status_updated_at_desc ON Event (Name, ProjectId, Status, UpdatedAt DESC);
CREATE INDEX piped_project_id_asc ON Piped (ProjectId);
CREATE INDEX deploymentchain_project_id_updated_at_desc ON DeploymentChain (ProjectId, UpdatedAt DESC);
-- Meant for DeploymentChain, but this is where the public server puts it.
CREATE INDEX deploymentchain_status_updated_at_desc ON Deployment (Status, UpdatedAt DESC);
CREATE INDEX deploymenttrace_project_id_updated_at_desc ON DeploymentTrace (ProjectId, UpdatedAt DESC);
CREATE INDEX deploymenttrace_commit_hash_updated_at_desc ON DeploymentTrace (CommitHash, UpdatedAt DESC);
