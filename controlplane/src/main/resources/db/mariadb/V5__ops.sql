-- Which process does what only one may do. The term grows with every look of the holder's.
CREATE TABLE IF NOT EXISTS Lease (
    Name VARCHAR(64) NOT NULL PRIMARY KEY,
    Holder VARCHAR(255) NOT NULL,
    Term BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
