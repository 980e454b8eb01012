-- Version 2: tells which device leads which work.

CREATE FUNCTION sori_sync.leases(p_account bytea, p_device bytea, p_secret bytea)
RETURNS TABLE (work text, device bytea) AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN QUERY SELECT l.work, l.device FROM sori_sync.leases l
        WHERE l.account = p_account AND l.until > clock_timestamp() ORDER BY l.work;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
