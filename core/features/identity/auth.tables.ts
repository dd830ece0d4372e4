import { roles, roleGrid, type Role } from '../../kernel/permission.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The library's field names with the columns of migration 001: `activeOrganizationId` is `active_organization_id`. */
function columns<const N extends readonly string[]>(...names: N): { [K in N[number]]: string } {
  return Object.fromEntries(names.map((name) => [name, snake(name)])) as { [K in N[number]]: string }
}

const times = ['createdAt', 'updatedAt'] as const

export const userTable = {
  modelName: 'users',
  fields: columns('emailVerified', ...times),
  additionalFields: {
    superAdmin: { type: 'boolean', required: false, input: false, defaultValue: false, fieldName: 'super_admin' },
  },
} as const

export const sessionTable = {
  modelName: 'sessions',
  fields: columns('userId', 'ipAddress', 'userAgent', 'expiresAt', ...times),
  additionalFields: {
    kind: { type: 'string', required: false, input: false },
    application: { type: 'string', required: false, input: false },
  },
} as const

/** Ways in that a person has elsewhere, as Google; the library calls them accounts, which means another thing here. */
export const credentialTable = {
  modelName: 'credentials',
  fields: columns('accountId', 'providerId', 'userId', 'accessToken', 'refreshToken', 'idToken', 'accessTokenExpiresAt',
    'refreshTokenExpiresAt', ...times),
} as const

export const verificationTable = { modelName: 'verifications', fields: columns('expiresAt', ...times) } as const

const text = { type: 'string', required: false, input: true } as const

export const organizationTables = {
  session: { fields: columns('activeOrganizationId') },
  organization: {
    modelName: 'organizations',
    fields: columns('createdAt'),
    additionalFields: {
      customerType: { ...text, required: true, fieldName: 'customer_type' },
      preferredCurrency: { ...text, fieldName: 'preferred_currency' },
      settings: { type: 'json', required: true, input: true },
      timeZone: { ...text, fieldName: 'time_zone' },
      locale: text,
      updatedAt: {
        type: 'date', required: false, input: false, fieldName: 'updated_at', defaultValue: () => new Date(),
      },
    },
  },
  member: { modelName: 'members', fields: columns('organizationId', 'userId', 'createdAt') },
  invitation: { modelName: 'invitations', fields: columns('organizationId', 'inviterId', 'expiresAt', 'createdAt') },
} as const

export const phoneColumns = { user: { fields: columns('phoneNumber', 'phoneNumberVerified') } } as const

/** A key belongs to an organization: the library's `referenceId`. */
export const keyTable = {
  apikey: {
    modelName: 'api_keys',
    fields: {
      ...columns('configId', 'refillInterval', 'refillAmount', 'lastRefillAt', 'rateLimitEnabled',
        'rateLimitTimeWindow', 'rateLimitMax', 'requestCount', 'lastRequest', 'expiresAt', ...times),
      referenceId: 'organization',
    },
  },
} as const

type Statements = Record<string, readonly string[]>

/** The role grid in the library's words: it says `cancel` where an invitation is deleted. */
export const statementsOf = (role: Role): Statements => {
  const { invitation = [], ...rest } = roleGrid[role]
  return { ...rest, invitation: invitation.includes('delete') ? [...invitation, 'cancel'] : invitation }
}

/** Every pair that some role has. */
export const allStatements: Statements = statementsOf(roles[0])
