import { boolean, nullable, object, optional, string, type Static } from '../../../kernel/schema.ts'

const isEnabled = (how: string) => boolean(`Whether buyers may sign in ${how}.`)
const createMethod = (how: string) => object({ enabled: isEnabled(how) }, { description: `Sign-in ${how}.` })
const MethodPatch = object(
  { enabled: optional(boolean('Whether buyers may sign in so.')) },
  { title: 'SignInMethodPatch', description: 'Switches a way to sign in.' },
)

const ways = {
  'email-otp': 'with a code sent by e-mail',
  'phone-otp': 'with a code sent to their phone',
  google: 'with Google',
  auth0: 'with the tenant named here',
} as const

// A host name of RFC 1123 with at least two labels.
const domain = string('Host name of the tenant.', {
  maxLength: 253,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$',
  examples: ['brand.eu.auth0.example'],
})
const clientId = string('Client identifier that the tenant gave.', { minLength: 1, maxLength: 200 })

/** Settings of an organization that apply to all its applications, as they are answered. */
export const OrganizationSettings = object(
  {
    authConfig: object(
      {
        'email-otp': createMethod(ways['email-otp']),
        'phone-otp': createMethod(ways['phone-otp']),
        google: createMethod(ways.google),
        auth0: object(
          {
            enabled: isEnabled(ways.auth0),
            domain: optional(domain),
            clientId: optional(clientId),
            hasClientSecret: boolean('Whether a client secret is kept. It is never answered.'),
          },
          { description: 'A tenant of the organization at auth0.' },
        ),
      },
      { description: 'Ways for buyers to sign in.' },
    ),
  },
  { title: 'OrganizationSettings', description: 'Settings of an organization.' },
)
export type OrganizationSettings = Static<typeof OrganizationSettings>

export const OrganizationSettingsPatch = object(
  {
    authConfig: optional(
      object(
        {
          'email-otp': optional(MethodPatch),
          'phone-otp': optional(MethodPatch),
          google: optional(MethodPatch),
          auth0: optional(
            object(
              {
                enabled: optional(isEnabled(ways.auth0)),
                domain: optional(nullable(domain)),
                clientId: optional(nullable(clientId)),
                clientSecret: optional(
                  nullable(
                    string(
                      'Client secret that the tenant gave; null forgets it, and so does another domain without it.',
                      {
                        minLength: 1,
                        maxLength: 500,
                      },
                    ),
                  ),
                ),
              },
              { title: 'SignInTenantPatch', description: 'A tenant of the organization at auth0.' },
            ),
          ),
        },
        { title: 'SignInPatch', description: 'Ways for buyers to sign in. What is not named stays.' },
      ),
    ),
  },
  { title: 'OrganizationSettingsPatch', description: 'Changes of the settings of an organization.' },
)
export type OrganizationSettingsPatch = Static<typeof OrganizationSettingsPatch>

/** Settings as they are stored. The client secret is kept elsewhere, encrypted. */
export type StoredSettings = {
  authConfig: Omit<OrganizationSettings['authConfig'], 'auth0'> & {
    auth0: Omit<OrganizationSettings['authConfig']['auth0'], 'hasClientSecret'>
  }
}

/** Creates the settings of a new organization: sign-in with a code by e-mail is on, every other method is off. */
export const createInitialSettings = (): StoredSettings => ({
  authConfig: {
    'email-otp': { enabled: true },
    'phone-otp': { enabled: false },
    google: { enabled: false },
    auth0: { enabled: false },
  },
})
