-- The tables of a public server, as MySQL itself describes them there.

CREATE TABLE `Project` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  PRIMARY KEY (`Id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `Application` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Disabled` tinyint(1) GENERATED ALWAYS AS (if((json_unquote(json_extract(`Data`,_utf8mb4'$.disabled')) = _utf8mb4'true'),true,false)) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `Name` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.name'))) VIRTUAL NOT NULL,
  `Kind` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.kind')),0)) VIRTUAL NOT NULL,
  `SyncState_Status` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.sync_state.status')),0)) VIRTUAL NOT NULL,
  `PipedId` varchar(36) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.piped_id'))) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `application_disabled_updated_at_desc` (`Disabled`,`UpdatedAt` DESC),
  KEY `application_project_id_updated_at_desc` (`ProjectId`,`UpdatedAt` DESC),
  KEY `application_name_updated_at_desc` (`Name`,`UpdatedAt` DESC),
  KEY `application_kind_updated_at_desc` (`Kind`,`UpdatedAt` DESC),
  KEY `application_sync_state_updated_at_desc` (`SyncState_Status`,`UpdatedAt` DESC),
  KEY `application_piped_id_updated_at_desc` (`PipedId`,`UpdatedAt` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `Command` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `Status` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.status')),0)) VIRTUAL NOT NULL,
  `PipedId` varchar(36) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.piped_id'))) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `command_status_created_at_asc` (`Status`,`CreatedAt`),
  KEY `command_piped_id` (`PipedId`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `Deployment` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `ApplicationId` varchar(36) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.application_id'))) VIRTUAL NOT NULL,
  `ApplicationName` varchar(36) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.application_name'))) VIRTUAL NOT NULL,
  `Kind` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.kind')),0)) VIRTUAL NOT NULL,
  `Status` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.status')),0)) VIRTUAL NOT NULL,
  `PipedId` varchar(36) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.piped_id'))) VIRTUAL NOT NULL,
  `CompletedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.completed_at'))) VIRTUAL,
  `DeploymentChainId` varchar(36) GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.deployment_chain_id')),_utf8mb4'')) VIRTUAL NOT NULL,
  `DeploymentTraceCommitHash` varchar(40) GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.deployment_trace_commit_hash')),_utf8mb4'')) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `deployment_project_id_updated_at_desc` (`ProjectId`,`UpdatedAt` DESC),
  KEY `deployment_application_id_updated_at_desc` (`ApplicationId`,`UpdatedAt` DESC),
  KEY `deployment_application_name_updated_at_desc` (`ApplicationName`,`UpdatedAt` DESC),
  KEY `deployment_kind_updated_at_desc` (`Kind`,`UpdatedAt` DESC),
  KEY `deployment_status_updated_at_desc` (`Status`,`UpdatedAt` DESC),
  KEY `deployment_piped_id` (`PipedId`),
  KEY `deployment_completed_at_desc_id` (`CompletedAt` DESC,`Id`),
  KEY `deployment_completed_at_id_asc` (`CompletedAt`,`Id`),
  KEY `deployment_chain_id_updated_at_desc` (`DeploymentChainId`,`UpdatedAt` DESC),
  KEY `deployment_trace_commit_hash_updated_at_desc` (`DeploymentTraceCommitHash`,`UpdatedAt` DESC),
  KEY `deploymentchain_status_updated_at_desc` (`Status`,`UpdatedAt` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `Piped` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Disabled` tinyint(1) GENERATED ALWAYS AS (if((json_unquote(json_extract(`Data`,_utf8mb4'$.disabled')) = _utf8mb4'true'),true,false)) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `piped_project_id_asc` (`ProjectId`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `APIKey` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Disabled` tinyint(1) GENERATED ALWAYS AS (if((json_unquote(json_extract(`Data`,_utf8mb4'$.disabled')) = _utf8mb4'true'),true,false)) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  PRIMARY KEY (`Id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `Event` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `EventKey` varchar(64) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.event_key'))) VIRTUAL NOT NULL,
  `Name` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.name'))) VIRTUAL NOT NULL,
  `Status` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.status')),0)) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `event_project_id_created_at_asc` (`ProjectId`,`CreatedAt`),
  KEY `event_project_id_created_at_desc` (`ProjectId`,`CreatedAt` DESC),
  KEY `event_project_id_updated_at_desc` (`ProjectId`,`UpdatedAt` DESC),
  KEY `event_event_key_name_project_id_created_at_desc` (`EventKey`,`Name`,`ProjectId`,`CreatedAt` DESC),
  KEY `event_project_id_status_created_at_desc` (`ProjectId`,`Status`,`CreatedAt` DESC),
  KEY `event_project_id_status_updated_at_desc` (`ProjectId`,`Status`,`UpdatedAt` DESC),
  KEY `event_name_project_id_updated_at_desc` (`Name`,`ProjectId`,`UpdatedAt` DESC),
  KEY `event_name_project_id_status_updated_at_desc` (`Name`,`ProjectId`,`Status`,`UpdatedAt` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `DeploymentChain` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `Status` int GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.status')),0)) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `deploymentchain_project_id_updated_at_desc` (`ProjectId`,`UpdatedAt` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `DeploymentTrace` (
  `Id` binary(16) NOT NULL,
  `Data` json NOT NULL,
  `ProjectId` varchar(50) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.project_id'))) STORED NOT NULL,
  `Extra` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$._extra'))) STORED,
  `CreatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.created_at'))) STORED NOT NULL,
  `UpdatedAt` int GENERATED ALWAYS AS (json_unquote(json_extract(`Data`,_utf8mb4'$.updated_at'))) STORED NOT NULL,
  `CommitHash` varchar(40) GENERATED ALWAYS AS (ifnull(json_unquote(json_extract(`Data`,_utf8mb4'$.commit_hash')),_utf8mb4'')) VIRTUAL NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `deploymenttrace_project_id_updated_at_desc` (`ProjectId`,`UpdatedAt` DESC),
  KEY `deploymenttrace_commit_hash_updated_at_desc` (`CommitHash`,`UpdatedAt` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

