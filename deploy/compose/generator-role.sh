#!/bin/sh
# Run once by the image of PostgreSQL, when the database is created: the role of the builder, which may read the views that
# the owner will create in partner_source, and nothing else.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$GENERATOR_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE generator LOGIN PASSWORD :'password';
ALTER ROLE generator SET default_transaction_read_only = on;
CREATE SCHEMA partner_source;
GRANT USAGE ON SCHEMA partner_source TO generator;
ALTER DEFAULT PRIVILEGES IN SCHEMA partner_source GRANT SELECT ON TABLES TO generator;
SQL
