-- Seeded: each start of the service is a row, so that a health check asks something that a migration made.
CREATE TABLE starts (
    at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);
