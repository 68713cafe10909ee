-- One row a label of a document, in the order of lists. A label is a digest of project, name and value; At is when its document was updated.

CREATE TABLE ApplicationLabel (
    Label BLOB NOT NULL,
    At INTEGER NOT NULL,
    Document TEXT NOT NULL REFERENCES Application (Id) ON DELETE CASCADE,
    PRIMARY KEY (Label, At DESC, Document)
) WITHOUT ROWID;
CREATE INDEX ApplicationLabel_Document ON ApplicationLabel (Document);

CREATE TABLE DeploymentLabel (
    Label BLOB NOT NULL,
    At INTEGER NOT NULL,
    Document TEXT NOT NULL REFERENCES Deployment (Id) ON DELETE CASCADE,
    PRIMARY KEY (Label, At DESC, Document)
) WITHOUT ROWID;
CREATE INDEX DeploymentLabel_Document ON DeploymentLabel (Document);

CREATE TABLE EventLabel (
    Label BLOB NOT NULL,
    At INTEGER NOT NULL,
    Document TEXT NOT NULL REFERENCES Event (Id) ON DELETE CASCADE,
    PRIMARY KEY (Label, At DESC, Document)
) WITHOUT ROWID;
CREATE INDEX EventLabel_Document ON EventLabel (Document);

-- How far each kind is: behind which document of the first reading.
CREATE TABLE LabelMark (
    Kind TEXT NOT NULL PRIMARY KEY,
    Reached TEXT NOT NULL,
    BeganAt INTEGER NOT NULL,
    CheckedAt INTEGER NOT NULL
);
INSERT INTO LabelMark (Kind, Reached, BeganAt, CheckedAt)
VALUES ('Application', '', 0, 0), ('Deployment', '', 0, 0), ('Event', '', 0, 0);

-- What is rare in a project is found without looking at all the others.
-- Only the disabled ones: without figures of its own SQLite would take it for as good as any other wherever enabled ones are asked for.
CREATE INDEX Application_Disabled ON Application (ProjectId, UpdatedAt DESC, Id) WHERE Disabled = 1;
CREATE INDEX Application_Kind ON Application (ProjectId, Kind, UpdatedAt DESC, Id);
CREATE INDEX Deployment_Kind ON Deployment (ProjectId, Kind, UpdatedAt DESC, Id);
