-- An agent's applications in the order of lists: with the project's index alone, a page of an
-- agent with few of them reads all of the project.
CREATE INDEX Application_ProjectPiped ON Application (ProjectId, PipedId, UpdatedAt DESC, Id);
