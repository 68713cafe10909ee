-- One row a kind, as the public server writes them, with fields that ours does not know.

INSERT INTO Project (Id, Data) VALUES (UUID_TO_BIN('70a89aa4-fb27-5f6e-8cf5-3daa37fab034', TRUE),
'{"id": "quickstart", "desc": "first", "static_admin": {"username": "hello-pipecd", "password_hash": "$2a$10$abcdefghijklmnopqrstuu", "newer": 1},
  "newer": 1, "created_at": 1790000000, "updated_at": 1790000000, "_extra": "quickstart"}');

INSERT INTO Piped (Id, Data) VALUES (UUID_TO_BIN('1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1', TRUE),
'{"id": "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1", "name": "dev", "desc": "first", "project_id": "quickstart", "version": "v0.57.1",
  "keys": [{"hash": "$2a$10$abcdefghijklmnopqrstuu", "creator": "hello-pipecd", "created_at": 1790000000, "newer": {"deep": [1, 2]}}],
  "repositories": [{"id": "examples", "remote": "git@example.com:examples.git", "branch": "master"}],
  "newer_flag": true, "created_at": 1790000000, "updated_at": 1790000100, "_extra": "dev"}');

INSERT INTO Application (Id, Data) VALUES (UUID_TO_BIN('b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11', TRUE),
'{"id": "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11", "name": "canary", "piped_id": "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1", "project_id": "quickstart",
  "git_path": {"repo": {"id": "examples", "remote": "git@example.com:examples.git", "newer": "kept"}, "path": "kubernetes/canary", "config_filename": "app.pipecd.yaml"},
  "labels": {"env": "dev"}, "platform_provider": "kubernetes-default", "sync_state": {"status": 1, "timestamp": 1790000500, "newer": 7},
  "most_recently_successful_deployment": {"deployment_id": "d05f4f6e-1c2b-4b8e-9a6d-0a1b2c3d4e5f", "trigger": {"timestamp": 1790000400}},
  "newer_list": [{"a": 1}], "created_at": 1790000200, "updated_at": 1790000500, "_extra": "canary"}');

INSERT INTO Deployment (Id, Data) VALUES (UUID_TO_BIN('d05f4f6e-1c2b-4b8e-9a6d-0a1b2c3d4e5f', TRUE),
'{"id": "d05f4f6e-1c2b-4b8e-9a6d-0a1b2c3d4e5f", "application_id": "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11", "application_name": "canary",
  "piped_id": "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1", "project_id": "quickstart", "status": 2,
  "trigger": {"commit": {"hash": "0123456789abcdef", "message": "It''s one", "author": "ann", "created_at": 1790000300}, "timestamp": 1790000400, "newer": "kept"},
  "stages": [
    {"id": "stage-0", "name": "K8S_CANARY_ROLLOUT", "status": 2, "newer": {"kept": true}, "created_at": 1790000400, "updated_at": 1790000410},
    {"id": "stage-1", "name": "WAIT", "index": 1, "requires": ["stage-0"], "status": 1, "newer": 12345678901234567, "created_at": 1790000400, "updated_at": 1790000420}],
  "metadata_v2": {"shared": {"keyValues": {"k": "v"}}, "newer": []}, "newer_text": "ü \\"quoted\\"",
  "created_at": 1790000400, "updated_at": 1790000420, "_extra": "canary"}');

INSERT INTO Command (Id, Data) VALUES (UUID_TO_BIN('c0ffee00-1234-4abc-8def-0123456789ab', TRUE),
'{"id": "c0ffee00-1234-4abc-8def-0123456789ab", "piped_id": "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1", "project_id": "quickstart",
  "application_id": "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11", "commander": "hello-pipecd",
  "sync_application": {"application_id": "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11", "newer": "kept"},
  "newer_number": 1.5, "created_at": 1790000430, "updated_at": 1790000430, "_extra": "c0ffee00-1234-4abc-8def-0123456789ab"}');

INSERT INTO APIKey (Id, Data) VALUES (UUID_TO_BIN('aa11bb22-cc33-4d44-9e55-ff6677889900', TRUE),
'{"id": "aa11bb22-cc33-4d44-9e55-ff6677889900", "name": "ci", "key_hash": "$2a$10$abcdefghijklmnopqrstuu", "project_id": "quickstart", "role": 1,
  "creator": "hello-pipecd", "newer": {"kept": "yes"}, "created_at": 1790000000, "updated_at": 1790000000, "_extra": "ci"}');

INSERT INTO Event (Id, Data) VALUES (UUID_TO_BIN('e1e1e1e1-0000-4000-8000-000000000001', TRUE),
'{"id": "e1e1e1e1-0000-4000-8000-000000000001", "name": "image-update", "data": "v1.2.3", "project_id": "quickstart", "labels": {"app": "canary"},
  "event_key": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "newer": 1, "created_at": 1790000000, "updated_at": 1790000000, "_extra": "image-update"}');

INSERT INTO DeploymentChain (Id, Data) VALUES (UUID_TO_BIN('f2f2f2f2-0000-4000-8000-000000000001', TRUE),
'{"id": "f2f2f2f2-0000-4000-8000-000000000001", "project_id": "quickstart", "blocks": [{"nodes": [{"application_ref": {"application_id": "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11", "application_name": "canary"}, "newer": 1}]}],
  "newer": 1, "created_at": 1790000000, "updated_at": 1790000000, "_extra": "f2f2f2f2-0000-4000-8000-000000000001"}');

INSERT INTO DeploymentTrace (Id, Data) VALUES (UUID_TO_BIN('f3f3f3f3-0000-4000-8000-000000000001', TRUE),
'{"id": "f3f3f3f3-0000-4000-8000-000000000001", "project_id": "quickstart", "title": "Fix", "author": "ann", "commit_hash": "0123456789abcdef0123456789abcdef01234567",
  "newer": 1, "created_at": 1790000000, "updated_at": 1790000000, "_extra": "f3f3f3f3-0000-4000-8000-000000000001"}');
