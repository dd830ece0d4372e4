import {
  createListSchema,
  enumFilter,
  instantFilter,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import { roles } from '../../../kernel/permission.ts'
import { instant, object, oneOf, string, uuid, type Static } from '../../../kernel/schema.ts'

const role = oneOf(roles, 'What the person may do once the invitation is accepted.')
const shownStates = ['pending', 'accepted', 'declined', 'withdrawn', 'expired'] as const

export const Invitation = object(
  {
    id: uuid('Identifier of the invitation.'),
    email: string('Address that the invitation went to, in small letters.'),
    role,
    status: oneOf(shownStates, 'What became of it. A pending one can be accepted.'),
    expiresAt: instant('Until when it can be accepted.'),
    createdAt: instant('When the person was invited first.'),
  },
  { title: 'Invitation', description: 'An invitation to work for an organization.' },
)
export type Invitation = Static<typeof Invitation>

export const NewInvitation = object(
  {
    email: string('E-mail address of the person; its case plays no part.', {
      format: 'email',
      maxLength: 254,
      examples: ['ada@example.com'],
    }),
    role,
  },
  { title: 'NewInvitation', description: 'Who is invited, and to which role.' },
)
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationList = createListSchema(Invitation, 'InvitationList')

export const invitationList: ListDeclaration = {
  rowSchema: Invitation,
  filters: {
    id: uuidFilter('eq'),
    createdAt: instantFilter,
    expiresAt: instantFilter,
    email: { ...textFilter('eq', 'contains'), insensitive: true },
    status: enumFilter(shownStates, 'eq'),
  },
  sorters: ['id', 'createdAt', 'expiresAt'],
}
