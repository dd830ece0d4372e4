import { roles, rolePermissions, type Role } from '../../kernel/permission.ts'

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Maps field names of the library to the columns of migration 001, as `activeOrganizationId` to
 * `active_organization_id`.
 */
function createColumns<const N extends readonly string[]>(...names: N): { [K in N[number]]: string } {
  return Object.fromEntries(names.map((name) => [name, toSnakeCase(name)])) as { [K in N[number]]: string }
}

const timestampFields = ['createdAt', 'updatedAt'] as const

export const userTable = {
  modelName: 'users',
  fields: createColumns('emailVerified', ...timestampFields),
  additionalFields: {
    superAdmin: { type: 'boolean', required: false, input: false, defaultValue: false, fieldName: 'super_admin' },
    // The organization whose own provider of identities vouches for the person; null for everybody else.
    organization: { type: 'string', required: false, input: false },
  },
} as const

export const sessionTable = {
  modelName: 'sessions',
  fields: createColumns('userId', 'ipAddress', 'userAgent', 'expiresAt', ...timestampFields),
  additionalFields: {
    kind: { type: 'string', required: false, input: false },
    application: { type: 'string', required: false, input: false },
    // When the code was used that opened the session; null if something else did.
    codeAt: { type: 'date', required: false, input: false, fieldName: 'code_at' },
  },
} as const

/**
 * A person's sign-in methods at other providers, as Google. The library calls them accounts, a word that means
 * something else here.
 */
export const credentialTable = {
  modelName: 'credentials',
  fields: createColumns(
    'accountId',
    'providerId',
    'userId',
    'accessToken',
    'refreshToken',
    'idToken',
    'accessTokenExpiresAt',
    'refreshTokenExpiresAt',
    ...timestampFields,
  ),
} as const

export const verificationTable = {
  modelName: 'verifications',
  fields: createColumns('expiresAt', ...timestampFields),
} as const

const textField = { type: 'string', required: false, input: true } as const

export const organizationTables = {
  session: { fields: createColumns('activeOrganizationId') },
  organization: {
    modelName: 'organizations',
    fields: createColumns('createdAt'),
    additionalFields: {
      customerType: { ...textField, required: true, fieldName: 'customer_type' },
      preferredCurrency: { ...textField, fieldName: 'preferred_currency' },
      settings: { type: 'json', required: true, input: true },
      timeZone: { ...textField, fieldName: 'time_zone' },
      locale: textField,
      updatedAt: {
        type: 'date',
        required: false,
        input: false,
        fieldName: 'updated_at',
        defaultValue: () => new Date(),
      },
    },
  },
  member: { modelName: 'members', fields: createColumns('organizationId', 'userId', 'createdAt') },
  invitation: {
    modelName: 'invitations',
    fields: createColumns('organizationId', 'inviterId', 'expiresAt', 'createdAt'),
  },
} as const

export const phoneColumns = { user: { fields: createColumns('phoneNumber', 'phoneNumberVerified') } } as const

/** The table of API keys. A key belongs to an organization, which the library calls `referenceId`. */
export const keyTable = {
  apikey: {
    modelName: 'api_keys',
    fields: {
      ...createColumns(
        'configId',
        'refillInterval',
        'refillAmount',
        'lastRefillAt',
        'rateLimitEnabled',
        'rateLimitTimeWindow',
        'rateLimitMax',
        'requestCount',
        'lastRequest',
        'expiresAt',
        ...timestampFields,
      ),
      referenceId: 'organization',
    },
  },
} as const

type Statements = Record<string, readonly string[]>

/**
 * Returns the permissions of a role in the words of the library, which says `cancel` for the deletion of an invitation.
 */
export const getStatements = (role: Role): Statements => {
  const { invitation = [], ...rest } = rolePermissions[role]
  return { ...rest, invitation: invitation.includes('delete') ? [...invitation, 'cancel'] : invitation }
}

/** Returns every permission that any role has. */
export const getAllStatements = (): Statements => getStatements(roles[0])
