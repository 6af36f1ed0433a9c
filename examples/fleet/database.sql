-- The database of several machines that share one state, with two roles: the owner makes and updates the tables, and the machines
-- can only read and write rows. The owner also copies a state here or back (bgfetch fleet copy), because that sets the numbers of
-- the rows. As a superuser of PostgreSQL 14 or newer:
--
--   psql -v owner_password=… -v password=… -f database.sql postgres

CREATE ROLE bgfetch_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE bgfetch LOGIN PASSWORD :'password';
CREATE DATABASE bgfetch OWNER bgfetch_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE bgfetch FROM PUBLIC;
GRANT CONNECT ON DATABASE bgfetch TO bgfetch;

\connect bgfetch
REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA bgfetch AUTHORIZATION bgfetch_owner;
GRANT USAGE ON SCHEMA bgfetch TO bgfetch;
-- Whatever tables the owner makes, now and in later versions.
ALTER DEFAULT PRIVILEGES FOR ROLE bgfetch_owner IN SCHEMA bgfetch
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO bgfetch;
ALTER DEFAULT PRIVILEGES FOR ROLE bgfetch_owner IN SCHEMA bgfetch GRANT USAGE ON SEQUENCES TO bgfetch;
