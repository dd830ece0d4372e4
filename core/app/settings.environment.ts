import { Type, type Static } from 'typebox'
import { networkNames } from '../chains/networks.ts'

const createRange = (minimum: number, maximum: number, what: string) => ({
  minimum,
  maximum,
  description: `a whole number from ${minimum} to ${maximum} (${what})`,
})
const integerVariable = (minimum: number, maximum: number, what: string, defaultValue: number) =>
  Type.Integer({ ...createRange(minimum, maximum, what), default: defaultValue })
const portVariable = (what: string, defaultValue: number) =>
  integerVariable(1, 65535, `TCP port of ${what}`, defaultValue)
const addressVariable = Type.String({ pattern: '^https?://[^\\s/]+', description: 'an http or https address' })
const postgresVariable = Type.String({ pattern: '^postgres(ql)?://\\S+$', description: 'a postgres:// address' })
const secretVariable = Type.String({ minLength: 16, description: 'a secret of at least 16 characters' })
const encryptionKeyVariable = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: '32 bytes in base64' })
const listVariable = (what: string) =>
  Type.Array(Type.String({ minLength: 1 }), { description: `${what}, separated by commas`, default: [] })

/**
 * The environment variables of all processes. A description says what is allowed; the refusal of a wrong value repeats
 * it.
 */
export const Environment = Type.Object(
  {
    // Production is the default: a process shows sign-in codes or runs without its secrets only if somebody configured
    // that.
    NODE_ENV: Type.Enum(['production', 'development', 'test'], {
      default: 'production',
      description: 'production, development or test',
    }),
    PORT: portVariable('the API', 3333),
    BRIDGE_PORT: portVariable('the tool bridge', 3334),
    METRICS_PORT: Type.Optional(Type.Integer(createRange(1, 65535, 'TCP port of /metrics'))),
    HOST: Type.String({
      pattern: '^[A-Za-z0-9.:_-]+$',
      default: '127.0.0.1',
      description: 'an address or name of this machine',
    }),
    BASE_URL: Type.Optional(addressVariable),
    PUBLIC_URL: Type.Optional(addressVariable),
    MCP_URL: Type.Optional(addressVariable),
    API_URL: Type.Optional(addressVariable),
    ALLOW_HTTP: Type.Boolean({
      default: false,
      description: 'true or false (whether production may have addresses of http)',
    }),
    ALLOWED_HOSTS: Type.Array(Type.String({ pattern: '^([a-z0-9._-]+|\\[[0-9a-f:.]+\\])$' }), {
      description: 'host names in small letters without a port, separated by commas',
      default: [],
    }),
    SIGN_IN_CODES: Type.Enum(['on', 'off'], {
      default: 'on',
      description: 'on or off (whether people sign in by a code)',
    }),
    COMPILE_ROUTES: Type.Enum(['at-start', 'on-demand'], {
      default: 'at-start',
      description: 'at-start or on-demand (when the API compiles the checks of its routes)',
    }),
    DATABASE_URL: Type.Optional(postgresVariable),
    DATABASE_DIRECT_URL: Type.Optional(postgresVariable),
    SIGNER_DATABASE_URL: Type.Optional(postgresVariable),
    REDIS_URL: Type.Optional(
      Type.String({
        pattern: '^rediss?://\\S+$',
        description: 'a redis:// or rediss:// address',
      }),
    ),
    AUDIT_NETWORK: Type.Optional(
      Type.Enum([...networkNames], { description: 'the name of a network (where audit trails are anchored)' }),
    ),
    PLANS_FILE: Type.Optional(Type.String({ minLength: 1, description: 'the path of a file of plans' })),
    DATA_DIR: Type.String({ minLength: 1, default: '.data', description: 'the path of a folder' }),
    KEY_ENCRYPTION_KEY: Type.Optional(encryptionKeyVariable),
    KEY_ENCRYPTION_KEYS_OLD: Type.Array(encryptionKeyVariable, {
      description: 'keys of 32 bytes in base64 that only open, separated by commas',
      default: [],
    }),
    SIGNER_KEY_ENCRYPTION_KEY: Type.Optional(encryptionKeyVariable),
    SIGNER_KEY_ENCRYPTION_KEYS_OLD: Type.Array(encryptionKeyVariable, {
      description: 'keys of 32 bytes in base64 that only open, separated by commas',
      default: [],
    }),
    SESSION_SECRET: Type.Optional(secretVariable),
    SIGNER_SOCKET: Type.Optional(
      Type.String({
        pattern: '^/',
        maxLength: 100,
        description: 'the absolute path of a unix socket, at most 100 characters',
      }),
    ),
    SIGNER_URL: Type.Optional(Type.String({ pattern: '^https://\\S+$', description: 'an https address' })),
    SIGNER_SECRET: Type.Optional(secretVariable),
    BOOTSTRAP_API_KEY: Type.Optional(
      Type.String({
        pattern: '^tsr_(live|test)_[A-Za-z0-9]{40}$',
        description: 'tsr_test_ or tsr_live_ and 40 letters or digits',
      }),
    ),
    BOOTSTRAP_APPLICATION_ID: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description: 'a UUID in small letters',
      }),
    ),
    RATE_LIMIT_KEY_PER_MINUTE: integerVariable(0, 1e9, 'requests of one API key a minute, 0 is no limit', 6000),
    RATE_LIMIT_ADDRESS_PER_MINUTE: integerVariable(0, 1e9, 'requests of one address a minute, 0 is no limit', 1200),
    CODE_SENDS_PER_ADDRESS_HOUR: integerVariable(
      0,
      1e6,
      'one-time codes an hour at the request of one address, 0 is no limit',
      20,
    ),
    CODE_SENDS_PER_APPLICATION_HOUR: integerVariable(
      0,
      1e6,
      'one-time codes an hour for one application, 0 is no limit',
      1000,
    ),
    CODE_SENDS_PER_ORGANIZATION_HOUR: integerVariable(
      0,
      1e6,
      'one-time codes an hour for one organization, 0 is no limit',
      5000,
    ),
    EVENT_STREAMS_PER_KEY: integerVariable(
      0,
      1e6,
      'open event streams of one key or member in one process, 0 is no limit',
      50,
    ),
    EVENT_STREAMS_PER_ORGANIZATION: integerVariable(
      0,
      1e6,
      'open event streams of one organization in one process, 0 is no limit',
      500,
    ),
    EVENT_STREAMS_PER_BUYER: integerVariable(
      0,
      1e6,
      'open event streams of one buyer in one process, 0 is no limit',
      5,
    ),
    IMPORT_CSV_SYNC_ROW_CAP: integerVariable(0, 1e9, 'rows of one import, 0 is no limit', 0),
    PASSPORT_BATCHES_PER_CONTRACT: integerVariable(1, 2000, 'batches of passports that one contract takes', 2000),
    MAGIC_TOKEN_DAYS: integerVariable(1, 3650, 'days', 90),
    EVENT_RETENTION_DAYS: integerVariable(1, 36500, 'days', 400),
    // At least as long as an idempotency key is kept, because its stored answer may name a job.
    JOB_RETENTION_DAYS: integerVariable(31, 36500, 'days', 90),
    IMPORT_ERROR_RETENTION_DAYS: integerVariable(1, 36500, 'days', 30),
    ATTEMPT_RETENTION_DAYS: integerVariable(1, 36500, 'days', 400),
    MESSAGE_RETENTION_DAYS: integerVariable(1, 36500, 'days', 1),
    LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      default: 'info',
      description: 'fatal, error, warn, info, debug, trace or silent',
    }),
    SMTP_URL: Type.Optional(Type.String({ pattern: '^smtps?://\\S+$', description: 'an smtp:// or smtps:// address' })),
    SMS_URL: Type.Optional(addressVariable),
    IPFS_API_URL: Type.Optional(addressVariable),
    IPFS_GATEWAY_URL: Type.Optional(addressVariable),
    GOOGLE_API_KEY: Type.Optional(Type.String({ pattern: '^\\S+$', description: 'a key of the Gemini API' })),
    GOOGLE_API_URL: Type.Optional(addressVariable),
    GOOGLE_CLIENT_ID: Type.Optional(Type.String({ pattern: '^\\S+$', description: 'an OAuth client of Google' })),
    GOOGLE_CLIENT_SECRET: Type.Optional(Type.String({ pattern: '^\\S+$', description: 'the secret of that client' })),
    APNS_URL: Type.Optional(
      Type.String({ pattern: '^https://[^\\s/]+$', description: 'an https address without a path' }),
    ),
    APNS_CA: Type.Optional(
      Type.String({ minLength: 1, description: 'the path of a file of certificates as PEM, not in production' }),
    ),
    GOOGLE_WALLET_URL: Type.Optional(addressVariable),
    GOOGLE_OAUTH_URL: Type.Optional(addressVariable),
    GOOGLE_PAY_KEYS_URL: Type.Optional(addressVariable),
    STRIPE_SECRET_KEY: Type.Optional(
      Type.String({ pattern: '^(sk|rk)_(test|live)_\\S+$', description: 'a secret or restricted key of Stripe' }),
    ),
    STRIPE_WEBHOOK_SECRET: Type.Optional(
      Type.String({ pattern: '^whsec_\\S+$', description: 'the secret of a webhook endpoint of Stripe, whsec_…' }),
    ),
    STRIPE_API_URL: Type.Optional(
      Type.String({ pattern: '^https?://[^\\s/]+/?$', description: 'an http or https address without a path' }),
    ),
    OUTBOUND_ALLOW: listVariable('<host> for its standard port, or <host>:<port>'),
    DNS_RESOLVERS: Type.Array(Type.String({ pattern: '^([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$' }), {
      description: '<host>:<port> of DNS resolvers, separated by commas',
      default: [],
    }),
    OUTBOUND_RESOLVE: Type.Array(Type.String({ pattern: '^[^=\\s]+=([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$' }), {
      description: '<host>=<address>:<port>, separated by commas, not in production',
      default: [],
    }),
    TRUST_PROXY: Type.Boolean({ default: false, description: 'true or false' }),
    TESSERA_FAULT: Type.Optional(
      Type.String({
        pattern: '^[a-z][A-Za-z0-9.-]*(:[0-9]+)?$',
        description: 'the name of a fault point, not in production',
      }),
    ),
  },
  { additionalProperties: true },
)

export type Environment = Static<typeof Environment>

/** Returns the prefix of a network's variables: `BaseSepolia` becomes `BASE_SEPOLIA`. */
export const toVariablePrefix = (network: string) => network.replace(/(?<=.)[A-Z]/g, '_$&').toUpperCase()
