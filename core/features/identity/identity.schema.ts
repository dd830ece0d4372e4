import { networkNames, type Network } from '../../chains/networks.ts'
import { roles } from '../../kernel/permission.ts'
import {
  instant,
  list,
  nullable,
  object,
  oneOf,
  optional,
  secret,
  string,
  uuid,
  type Static,
} from '../../kernel/schema.ts'
import { SessionAccount } from '../accounts/index.ts'
import { ApplicationRef } from '../applications/index.ts'

const createEmailSchema = (what: string) =>
  string(what, { format: 'email', maxLength: 254, examples: ['ada@example.com'] })
const otp = string('The code as it was received: six digits.', { minLength: 1, maxLength: 32, examples: ['492039'] })

const recipientMembers = {
  application: uuid('The application to sign in to.'),
  type: oneOf(
    ['email-otp', 'phone-otp'],
    'Where the code goes: `email-otp` needs `email`, `phone-otp` needs `phoneCallingCode` and `phone`.',
  ),
  email: optional(createEmailSchema('E-mail address; its case plays no part.')),
  phoneCallingCode: optional(
    string('Country calling code, with or without its plus.', {
      pattern: '^\\+?[1-9][0-9]{0,2}$',
      examples: ['+39'],
    }),
  ),
  phone: optional(
    string('Number within that country, as people write it there.', {
      minLength: 2,
      maxLength: 40,
      examples: ['333 123 4567'],
    }),
  ),
}

/** A complete example of one of the two methods, so that a reader can copy it and it works. */
const emailExample = {
  application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  type: 'email-otp',
  email: 'ada@example.com',
}

export const SendCode = object(recipientMembers, {
  title: 'SendCode',
  description: 'Where a one-time code is to go.',
  examples: [emailExample],
})
export type SendCode = Static<typeof SendCode>

export const VerifyCode = object(
  { ...recipientMembers, otp },
  {
    title: 'VerifyCode',
    description: 'A one-time code with the address it went to.',
    examples: [{ ...emailExample, otp: '492039' }],
  },
)
export type VerifyCode = Static<typeof VerifyCode>

export const SessionUser = object(
  {
    id: uuid('Identifier of the person, the same in every application.'),
    name: nullable(string('What the person is called, if they said so.')),
    email: nullable(string('Verified e-mail address; null for people who sign in by phone.')),
    phoneNumber: nullable(string('Verified phone number in E.164 form.')),
  },
  { title: 'SessionUser', description: 'The person who is signed in.' },
)
export type SessionUser = Static<typeof SessionUser>

const token = secret('Token of the session, to be sent as `Authorization: Bearer`.')
const expiresAt = instant('When the session ends. Use does not prolong it.')

export const EndUserSession = object(
  { token, expiresAt, user: SessionUser, account: SessionAccount },
  {
    title: 'EndUserSession',
    description: 'A new session of a buyer. It lasts 30 days.',
  },
)

export const SendMemberCode = object(
  {
    email: createEmailSchema('E-mail address of the member; its case plays no part.'),
    type: oneOf(['sign-in'], 'What the code is for.'),
  },
  { title: 'SendMemberCode', description: "Where a member's one-time code is to go." },
)

export const MemberSignIn = object(
  { email: createEmailSchema('The address that the code went to.'), otp },
  {
    title: 'MemberSignIn',
    description: "A member's one-time code.",
  },
)

export const Membership = object(
  {
    id: uuid('Identifier of the organization.'),
    name: string('Its name, for people.'),
    slug: string('Its name in addresses.'),
    role: oneOf(roles, "The member's role there."),
  },
  { title: 'Membership', description: "An organization with the member's role in it." },
)
export type Membership = Static<typeof Membership>

export const MemberSession = object(
  {
    token,
    expiresAt,
    user: SessionUser,
    organizations: list(Membership, 'Where the member can act, once set-active has chosen one.'),
  },
  { title: 'MemberSession', description: 'A new session of a member. It lasts 7 days; no organization is active yet.' },
)

export type SetActive = Static<typeof SetActive>
export const SetActive = object(
  {
    organizationId: optional(uuid('The organization to act for.')),
    organizationSlug: optional(string('Its slug, instead of its identifier.', { minLength: 1, maxLength: 100 })),
  },
  { title: 'SetActive', description: 'The organization to choose: one of the two members.' },
)

export const CurrentSession = object(
  {
    user: SessionUser,
    account: nullable(SessionAccount),
    application: nullable(ApplicationRef),
    organization: optional(nullable(Membership)),
  },
  {
    title: 'CurrentSession',
    description:
      'Who is signed in. Buyers have an account and an application, members an organization, '
      + 'which is null while none is active.',
  },
)

/** Checks whether a value of the header X-Network is the name of a network. */
export const isNetwork = (name: string): name is Network => (networkNames as readonly string[]).includes(name)
