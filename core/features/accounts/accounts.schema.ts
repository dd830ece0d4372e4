import { networkNames } from '../../chains/networks.ts'
import { instant, nullable, object, oneOf, string, uuid, type Static } from '../../kernel/schema.ts'
import { ApplicationRef } from '../applications/index.ts'

/** The person behind an account, as the account's application may see that person. */
const SessionAccountUser = object(
  {
    name: nullable(string('What the person is called, if they said so to this application.')),
    email: nullable(string('Verified e-mail address in small letters; null for people who sign in by phone.')),
    phoneNumber: nullable(string('Verified phone number in E.164 form, as +393331234567.')),
  },
  { title: 'SessionAccountUser', description: 'The person behind an account.' },
)

/** The account of a session, as the person who is signed in sees it. */
export const SessionAccount = object(
  {
    id: uuid('Identifier of the account.'),
    application: ApplicationRef,
    network: oneOf(networkNames, 'The network that its wallet lives on.'),
    address: string('Address of its wallet in the spelling of the network.'),
    user: SessionAccountUser,
    createdAt: instant('When the person signed in here for the first time.'),
    updatedAt: instant('When the account last changed.'),
  },
  { title: 'SessionAccount', description: 'A person in one application, with one wallet on one network.' },
)
export type SessionAccount = Static<typeof SessionAccount>
