/**
 * The SQL of the events of a passport: `id`, `at`, `type`, `unknown`, and the public `status` that the passport had
 * then (null for a draft). Its bindings are the organization and the passport.
 */
export const passportEventsSql = `
  select events.id, events.created_at as at, events.type, events.unknown, events.passport ->> 'status' as status
  from events where events.organization = ? and events.passport_id = ?`
