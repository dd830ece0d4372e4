import {
  createListSchema,
  enumFilter,
  instantFilter,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import { roles } from '../../../kernel/permission.ts'
import { instant, nullable, object, oneOf, string, uuid, type Static } from '../../../kernel/schema.ts'

const role = oneOf(roles, 'What the person may do there.')

export const Member = object(
  {
    id: uuid('Identifier of the membership.'),
    user: object(
      {
        id: uuid('Identifier of the person.'),
        name: nullable(string('What the person is called, if they said so.')),
        email: string('E-mail address.'),
      },
      { title: 'MemberUser', description: 'The person.' },
    ),
    role,
    createdAt: instant('Since when the person is a member.'),
  },
  { title: 'Member', description: 'A person who works for an organization.' },
)
export type Member = Static<typeof Member>

export const MemberPatch = object({ role }, { title: 'MemberPatch', description: 'The new role of a member.' })
export type MemberPatch = Static<typeof MemberPatch>

export const MemberList = createListSchema(Member, 'MemberList')

export const memberList: ListDeclaration = {
  rowSchema: Member,
  filters: {
    id: uuidFilter('eq'),
    createdAt: instantFilter,
    role: enumFilter(roles, 'eq'),
    'user.email': { ...textFilter('eq', 'contains'), insensitive: true },
  },
  sorters: ['id', 'createdAt', 'role'],
}
