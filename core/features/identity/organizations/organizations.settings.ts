import { boolean, object, optional, string, type Static } from '../../../kernel/schema.ts'

const createMethodSchema = (how: string) => object({ enabled: boolean(`Whether buyers may sign in ${how}.`) })

/** Settings of an organization that apply to all its applications. */
export const OrganizationSettings = object(
  {
    authConfig: object(
      {
        'email-otp': createMethodSchema('with a code sent by e-mail'),
        'phone-otp': createMethodSchema('with a code sent to their phone'),
        google: createMethodSchema('with Google'),
        auth0: object(
          {
            enabled: boolean('Whether buyers may sign in with the tenant named here.'),
            domain: optional(string('Host name of the tenant.')),
            clientId: optional(string('Client identifier that the tenant gave.')),
            clientSecret: optional(string('Client secret that the tenant gave; never answered.')),
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

/** Creates the settings of a new organization: sign-in with a code by e-mail is on, every other method is off. */
export const createInitialSettings = (): OrganizationSettings => ({
  authConfig: {
    'email-otp': { enabled: true },
    'phone-otp': { enabled: false },
    google: { enabled: false },
    auth0: { enabled: false },
  },
})
