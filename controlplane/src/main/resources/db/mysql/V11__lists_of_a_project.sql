-- The public schema finds deployments by kind or status among those of all projects. A public server that the database is handed back to uses these too, or not at all.
CREATE INDEX Deployment_Kind ON Deployment (ProjectId, Kind, UpdatedAt DESC);
CREATE INDEX Deployment_Status ON Deployment (ProjectId, Status, UpdatedAt DESC);
