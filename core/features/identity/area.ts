import { actions } from '../../kernel/permission.ts'
import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { dismissPerson } from './departures.ts'
import { countApplicationKeys } from './keys/organization-keys.ts'
import { identityOperations } from './identity.operations.ts'
import { identityErasures } from './organizations/organizations.erasure.ts'
import { identityProblemCodes } from './problem-codes.ts'
import { resetFutureSends } from './sign-in/future-sends.ts'

/** Organizations, the people in them, buyers, keys and sessions. */
export const identity = area({
  name: 'identity',
  problemCodes: identityProblemCodes,
  permissions: {
    organization: {
      owner: ['read', 'update', 'delete'],
      admin: ['read', 'update'],
      editor: ['read'],
      viewer: ['read'],
    },
    member: { owner: actions, admin: actions, editor: ['read'] },
    invitation: { owner: actions, admin: actions, editor: [] },
    team: { owner: actions, admin: actions, editor: ['read'] },
    settings: { owner: actions, admin: actions, editor: ['read'] },
    apiKey: { owner: actions, admin: actions, editor: [] },
  },
  operations: identityOperations,
  tags: {
    'Sign-in': 'One-time codes by e-mail or phone, and the sessions of members and buyers that they open.',
    Legal: 'The documents that customers accept, and who accepted which version.',
    Organizations:
      'The customers of the platform: their names, settings and ways to sign in, their members and invitations.',
  },
  applicationParts: async (trx, application) => [
    { noun: 'API key', count: await countApplicationKeys(trx, application) },
  ],
  accountDepartures: [dismissPerson],
  organizationErasures: identityErasures,
  clockRepairs: [{ name: 'sends of codes', run: ({ db }) => resetFutureSends(db) }],
  retentions: () => ({
    // These rows have their own time of expiry.
    sessions: { days: 0, rows: 'r.expires_at < :before' },
    verifications: { days: 0, rows: 'r.expires_at < :before' },
    sign_in_codes: { days: 0, rows: 'r.expires_at < :before' },
    // Sends are counted for one hour; later sends delete old rows too.
    code_sends: { days: 1, rows: 'r.at < :before' },
    users: retentionReasons.person,
    credentials: retentionReasons.person,
    members: retentionReasons.person,
    // Kept for a month after their end, so that people see what became of them.
    invitations: { days: 30, rows: 'r.expires_at < :before' },
    organizations: retentionReasons.organization,
    organization_secrets: retentionReasons.organization,
    legal_acceptances: retentionReasons.evidence,
    api_keys: retentionReasons.organization,
  }),
})

declare module '../../kernel/words.ts' {
  interface Resources {
    organization: true
    member: true
    invitation: true
    team: true
    settings: true
    apiKey: true
  }
  interface AuditActions {
    'api-key.create': true
    'api-key.rotate': true
    'api-key.revoke': true
    'invitation.send': true
    'invitation.withdraw': true
    'invitation.accept': true
    'invitation.decline': true
    'member.add': true
    'member.change-role': true
    'member.remove': true
    'member.leave': true
    'organization.create': true
    'organization.update': true
    'organization.delete': true
    'organization.restore': true
    'session.sign-in': true
    'session.sign-out': true
    'session.end': true
  }
}
