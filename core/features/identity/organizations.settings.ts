import { boolean, object, optional, string, type Static } from '../../kernel/schema.ts'

const method = (how: string) => object({ enabled: boolean(`Whether buyers may sign in ${how}.`) })

/** What an organization decides for its applications. */
export const OrganizationSettings = object({
  authConfig: object({
    'email-otp': method('with a code sent by e-mail'),
    'phone-otp': method('with a code sent to their phone'),
    google: method('with Google'),
    auth0: object({
      enabled: boolean('Whether buyers may sign in with the tenant named here.'),
      domain: optional(string('Host name of the tenant.')),
      clientId: optional(string('Client identifier that the tenant gave.')),
      clientSecret: optional(string('Client secret that the tenant gave; never answered.')),
    }, { description: 'A tenant of the organization at auth0.' }),
  }, { description: 'Ways for buyers to sign in.' }),
}, { title: 'OrganizationSettings', description: 'Settings of an organization.' })
export type OrganizationSettings = Static<typeof OrganizationSettings>

/** A new organization has codes by e-mail on and everything else off. */
export const initialSettings = (): OrganizationSettings => ({
  authConfig: {
    'email-otp': { enabled: true },
    'phone-otp': { enabled: false },
    google: { enabled: false },
    auth0: { enabled: false },
  },
})
