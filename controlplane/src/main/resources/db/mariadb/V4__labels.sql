-- One row a label of a document, in the order of lists. A label is a digest of project, name and value; At is when its document was updated.

CREATE TABLE IF NOT EXISTS ApplicationLabel (
    Label BINARY(16) NOT NULL,
    At BIGINT NOT NULL,
    Document VARCHAR(255) NOT NULL,
    PRIMARY KEY (Document, Label),
    KEY ApplicationLabel_Newest (Label, At DESC, Document),
    CONSTRAINT ApplicationLabel_Document FOREIGN KEY (Document) REFERENCES Application (Id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS DeploymentLabel (
    Label BINARY(16) NOT NULL,
    At BIGINT NOT NULL,
    Document VARCHAR(255) NOT NULL,
    PRIMARY KEY (Document, Label),
    KEY DeploymentLabel_Newest (Label, At DESC, Document),
    CONSTRAINT DeploymentLabel_Document FOREIGN KEY (Document) REFERENCES Deployment (Id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS EventLabel (
    Label BINARY(16) NOT NULL,
    At BIGINT NOT NULL,
    Document VARCHAR(255) NOT NULL,
    PRIMARY KEY (Document, Label),
    KEY EventLabel_Newest (Label, At DESC, Document),
    CONSTRAINT EventLabel_Document FOREIGN KEY (Document) REFERENCES Event (Id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- How far each kind is: behind which document of the first reading, and until when others' writes were looked for.
CREATE TABLE IF NOT EXISTS LabelMark (
    Kind VARCHAR(64) NOT NULL PRIMARY KEY,
    Reached VARCHAR(255) NOT NULL,
    BeganAt BIGINT NOT NULL,
    CheckedAt BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO LabelMark (Kind, Reached, BeganAt, CheckedAt)
VALUES ('Application', '', 0, 0), ('Deployment', '', 0, 0), ('Event', '', 0, 0)
ON DUPLICATE KEY UPDATE BeganAt = BeganAt;
