-- One table a kind, as on SQLite: the document, its version, and generated columns for what is searched. The public schema cannot be had
-- here: it uses what MariaDB lacks. What is indexed is stored, because indexes
-- over virtual columns were seen to break when a transaction was undone.

CREATE TABLE IF NOT EXISTS Project (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS Application (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    PipedId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.piped_id'), 255), '')) STORED,
    Name VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.name'), 255), '')) STORED,
    Kind INT AS (IFNULL(JSON_VALUE(Data, '$.kind'), 0)) STORED,
    SyncState_Status INT AS (IFNULL(JSON_VALUE(Data, '$.sync_state.status'), 0)) STORED,
    RepositoryId TEXT AS (IFNULL(JSON_VALUE(Data, '$.git_path.repo.id'), '')) VIRTUAL,
    Path TEXT AS (IFNULL(JSON_VALUE(Data, '$.git_path.path'), '')) VIRTUAL,
    ConfigFilename TEXT AS (IFNULL(JSON_VALUE(Data, '$.git_path.config_filename'), '')) VIRTUAL,
    Disabled INT AS (IFNULL(JSON_VALUE(Data, '$.disabled'), 0)) STORED,
    Deleted INT AS (IFNULL(JSON_VALUE(Data, '$.deleted'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY Application_Project (ProjectId, UpdatedAt DESC, Id),
    KEY Application_Name (ProjectId, Name, UpdatedAt DESC, Id),
    KEY Application_SyncState (ProjectId, SyncState_Status, UpdatedAt DESC, Id),
    KEY Application_Disabled (ProjectId, Disabled, UpdatedAt DESC, Id),
    KEY Application_Kind (ProjectId, Kind, UpdatedAt DESC, Id),
    KEY Application_Piped (PipedId, UpdatedAt DESC, Id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS Deployment (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    PipedId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.piped_id'), 255), '')) STORED,
    ApplicationId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.application_id'), 255), '')) STORED,
    ApplicationName VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.application_name'), 255), '')) STORED,
    Kind INT AS (IFNULL(JSON_VALUE(Data, '$.kind'), 0)) STORED,
    Status INT AS (IFNULL(JSON_VALUE(Data, '$.status'), 0)) STORED,
    CompletedAt BIGINT AS (JSON_VALUE(Data, '$.completed_at')) STORED,
    DeploymentChainId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.deployment_chain_id'), 255), '')) STORED,
    DeploymentTraceCommitHash VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.deployment_trace_commit_hash'), 255), '')) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY Deployment_Project (ProjectId, UpdatedAt DESC, Id),
    KEY Deployment_Application (ApplicationId, UpdatedAt DESC, Id),
    KEY Deployment_ApplicationName (ProjectId, ApplicationName, UpdatedAt DESC, Id),
    KEY Deployment_Status (ProjectId, Status, UpdatedAt DESC, Id),
    KEY Deployment_Kind (ProjectId, Kind, UpdatedAt DESC, Id),
    KEY Deployment_Live (PipedId, Status),
    KEY Deployment_Completed (CompletedAt DESC, Id),
    KEY Deployment_Chain (DeploymentChainId, UpdatedAt DESC, Id),
    KEY Deployment_Trace (DeploymentTraceCommitHash, UpdatedAt DESC, Id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS Command (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    PipedId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.piped_id'), 255), '')) STORED,
    Status INT AS (IFNULL(JSON_VALUE(Data, '$.status'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY Command_Unhandled (PipedId, Status, CreatedAt, Id),
    KEY Command_Status (Status, CreatedAt)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS Piped (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    Disabled INT AS (IFNULL(JSON_VALUE(Data, '$.disabled'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY Piped_Project (ProjectId)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS APIKey (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    Disabled INT AS (IFNULL(JSON_VALUE(Data, '$.disabled'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY APIKey_Project (ProjectId)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS Event (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    EventKey VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.event_key'), 255), '')) STORED,
    Name VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.name'), 255), '')) STORED,
    Status INT AS (IFNULL(JSON_VALUE(Data, '$.status'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY Event_Project (ProjectId, UpdatedAt DESC, Id),
    KEY Event_Created (ProjectId, CreatedAt, Id),
    KEY Event_StatusCreated (ProjectId, Status, CreatedAt DESC, Id),
    KEY Event_Key (ProjectId, EventKey, CreatedAt DESC),
    KEY Event_Status (ProjectId, Status, UpdatedAt DESC, Id),
    KEY Event_Name (ProjectId, Name, UpdatedAt DESC, Id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS DeploymentChain (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    Status INT AS (IFNULL(JSON_VALUE(Data, '$.status'), 0)) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY DeploymentChain_Project (ProjectId, UpdatedAt DESC, Id),
    KEY DeploymentChain_Status (Status, UpdatedAt DESC)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS DeploymentTrace (
    Id VARCHAR(255) NOT NULL PRIMARY KEY,
    Data JSON NOT NULL,
    Version BIGINT NOT NULL,
    Extra VARCHAR(255) AS (LEFT(JSON_VALUE(Data, '$._extra'), 255)) STORED,
    ProjectId VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.project_id'), 255), '')) STORED,
    CommitHash VARCHAR(255) AS (IFNULL(LEFT(JSON_VALUE(Data, '$.commit_hash'), 255), '')) STORED,
    CreatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.created_at'), 0)) STORED,
    UpdatedAt BIGINT AS (IFNULL(JSON_VALUE(Data, '$.updated_at'), 0)) STORED,
    KEY DeploymentTrace_Project (ProjectId, UpdatedAt DESC, Id),
    KEY DeploymentTrace_Commit (CommitHash, UpdatedAt DESC, Id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
