import { jobStatuses } from '../../kernel/job.ts'
import { presentJob, type JobRow } from '../../queue/engine/rows.ts'
import type { CommandInput, ReadingCommand } from './admin.commands.ts'
import { parseId, parseOneOf, createRefusal } from './admin.values.ts'

const defaultLimit = 100
const maxLimit = 10_000

function parseLimit({ options }: CommandInput): number {
  const text = options['limit'] ?? `${defaultLimit}`
  const value = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  if (value <= maxLimit) return value
  throw createRefusal('limit', 'range', `must be a whole number from 1 to ${maxLimit}`)
}

const parseOrganization = ({ options }: CommandInput): string | null =>
  options['organization'] === undefined ? null : parseId(options['organization'], 'organization')

/** The commands that print lists, newest first. */
export const listCommands: Record<string, ReadingCommand> = {
  'organization list': {
    takes: '[--limit <number>]',
    does: `Organizations, the ${defaultLimit} newest unless stated.`,
    options: ['limit'],
    columns: ['id', 'name', 'slug', 'members', 'applications', 'createdAt'],
    read: (reader, given) =>
      reader.rows(
        `select id, name, slug, customer_type as "customerType", created_at as "createdAt",
         (select count(*) from members where organization_id = o.id) as members,
         (select count(*) from applications where organization = o.id) as applications
       from organizations o order by o.created_at desc, o.id desc limit $1`,
        [parseLimit(given)],
      ),
  },
  'application list': {
    takes: '[--organization <id>] [--limit <number>]',
    does: 'Applications, of one organization or of all.',
    options: ['organization', 'limit'],
    columns: ['id', 'name', 'slug', 'organization', 'defaultNetwork', 'createdAt'],
    read: (reader, given) =>
      reader.rows(
        `select id, name, slug, organization, default_network as "defaultNetwork", domains, created_at as "createdAt"
       from applications where $1::uuid is null or organization = $1 order by created_at desc, id desc limit $2`,
        [parseOrganization(given), parseLimit(given)],
      ),
  },
  'api-key list': {
    takes: '[--organization <id>] [--limit <number>]',
    does: 'API keys without their secrets, revoked ones too.',
    options: ['organization', 'limit'],
    columns: ['id', 'name', 'start', 'organization', 'active', 'expiresAt', 'createdAt'],
    read: (reader, given) =>
      reader.rows(
        `select id, name, start, organization, permissions::jsonb as permissions,
         coalesce(enabled, true) and coalesce(expires_at > now(), true) as active,
         expires_at as "expiresAt", created_at as "createdAt"
       from api_keys where $1::uuid is null or organization = $1 order by created_at desc, id desc limit $2`,
        [parseOrganization(given), parseLimit(given)],
      ),
  },
  'member list': {
    takes: '[--organization <id>] [--limit <number>]',
    does: 'Members with their roles, of one organization or of all.',
    options: ['organization', 'limit'],
    columns: ['email', 'role', 'organization', 'superAdmin', 'createdAt'],
    read: (reader, given) =>
      reader.rows(
        `select m.id, u.id as "user", u.email, u.name, m.role, m.organization_id as organization,
         u.super_admin as "superAdmin", m.created_at as "createdAt"
       from members m join users u on u.id = m.user_id where $1::uuid is null or m.organization_id = $1
       order by m.created_at desc, m.id desc limit $2`,
        [parseOrganization(given), parseLimit(given)],
      ),
  },
  'jobs list': {
    takes: '[--status pending|completed|failed] [--organization <id>] [--limit <number>]',
    does: `Jobs, the ${defaultLimit} newest unless stated.`,
    options: ['status', 'organization', 'limit'],
    columns: ['id', 'type', 'status', 'total', 'completed', 'failed', 'organization', 'createdAt'],
    async read(reader, given) {
      const rows = await reader.rows<JobRow>(
        `select * from jobs where ($1::text is null or status = $1) and ($2::uuid is null or organization = $2)
         order by id desc limit $3`,
        [
          parseOneOf(jobStatuses, given.options['status'], 'status') ?? null,
          parseOrganization(given),
          parseLimit(given),
        ],
      )
      return rows.map((row) => ({ ...presentJob(row), organization: row.organization }))
    },
  },
}
