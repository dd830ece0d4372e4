import { createProjector, object, optional, type ProjectedValue, type RowOf } from '../../../database/projection.ts'
import type { PassportRow } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'

type Flow = 'sheet' | 'product'
type Reader = 'owner' | 'public'

/** A value for each reader. Without a value, the member is not there. */
type Readers<Row> = Readonly<Partial<Record<Reader, ProjectedValue<Row>>>>
/** A member of a passport: its values in each flow. */
type Member<Row> = Readonly<Partial<Record<Flow, Readers<Row>>>>

const { column, instant, numberOr, related } = createProjector<PassportRow>('passports')

const inBothFlows = <R extends Readers<never>>(readers: R) => ({ sheet: readers, product: readers })
const forEverybody = <V>(value: V) => ({ owner: value, public: value })
const everywhere = <V extends ProjectedValue<never>>(value: V) => inBothFlows(forEverybody(value))
const forOwner = <V extends ProjectedValue<never>>(value: V) => inBothFlows({ owner: value })

const claimed = { address: related('mintedAddress', 'around.minted_address'), network: column('network') }

const createUnit = (kind: 'structureJob' | 'certifyJob') =>
  object({ id: column(kind), status: column(`${kind}Status`), error: optional(column(`${kind}Error`)) }, [
    'id',
    'status',
  ])

type ParentsRow = Pick<PassportRow, 'parents'>
const createParent = (kind: 'model' | 'batch'): ProjectedValue<ParentsRow> => ({
  sql: `parents.${kind}`,
  nullSql: `parents.${kind}`,
  columns: [],
  read: ({ parents }) => parents?.[kind] ?? null,
})
const createOpenParent = (kind: 'model' | 'batch'): ProjectedValue<ParentsRow> => ({
  sql: `case when parents.${kind}_open then parents.${kind} end`,
  nullSql: `case when parents.${kind}_open then parents.${kind} end`,
  columns: [],
  read: ({ parents }) => (parents?.[`${kind}_open`] ? parents[kind] : null),
})

type DataRow = Pick<PassportRow, 'data'>
const data: ProjectedValue<DataRow> = {
  sql: "coalesce(passports.data, '{}')",
  nullSql: 'passports.data',
  columns: ['data'],
  read: (row) => row.data ?? {},
}
/** The opt-in form is evidence of a consent and not for readers. */
const publicData: ProjectedValue<DataRow> = {
  sql: "coalesce(passports.data - 'opt_in_form', '{}')",
  nullSql: 'passports.data',
  columns: ['data'],
  read({ data }) {
    const { opt_in_form: _, ...rest } = data ?? {}
    return rest
  },
}

/**
 * Every member of a passport, in the order of the answer. Both forms of the projection are made of this table: the
 * function that presents a row, and the SQL that writes JSON.
 */
export const passportMembers = {
  id: everywhere(column('id')),
  tokenId: everywhere(column('tokenId')),
  application: everywhere(
    object({ id: column('application'), name: related('applicationName', 'around.application_name') }),
  ),
  network: everywhere(column('network')),
  status: everywhere(column('status')),
  source: everywhere(column('source')),
  product: { sheet: forEverybody(column('sheet')), product: forEverybody(column('product')) },
  sheetVersion: { sheet: forEverybody(numberOr('sheetVersion', 1)) },
  fields: { sheet: forEverybody(column('fields')) },
  data: { product: { owner: data, public: publicData } },
  model: { product: { owner: createParent('model'), public: createOpenParent('model') } },
  batch: { product: { owner: createParent('batch'), public: createOpenParent('batch') } },
  trust: {
    product: forEverybody(
      object({ enrolledAt: instant('trustEnrolledAt'), url: column('trustUrl') }, ['enrolledAt', 'url']),
    ),
  },
  certifiedPaths: everywhere(column('certifiedPaths')),
  certificateUri: everywhere(column('certificateUri')),
  mintedTo: inBothFlows({
    owner: object({ id: column('mintedTo'), ...claimed }, ['address']),
    public: object(claimed, ['address']),
  }),
  token: everywhere(
    object(
      {
        contract: column('tokenContract'),
        transactionHash: column('tokenTransaction'),
        owner: column('tokenOwner'),
      },
      ['contract', 'transactionHash', 'owner'],
    ),
  ),
  certificationStatus: everywhere(column('certificationStatus')),
  certifiedAt: everywhere(instant('certifiedAt')),
  contentHash: everywhere(column('contentHash')),
  ipfsCid: everywhere(column('ipfsCid')),
  createdAt: everywhere(instant('createdAt')),
  updatedAt: everywhere(instant('updatedAt')),
  reference: forOwner(column('reference')),
  allowedClaimEmail: forOwner(column('allowedClaimEmail')),
  allowedClaimPhoneNumber: forOwner(column('allowedClaimPhoneNumber')),
  structureJob: forOwner(createUnit('structureJob')),
  certifyJob: forOwner(createUnit('certifyJob')),
} satisfies Record<keyof Passport, Member<never>>

/** The values in a table of members, however deep they stand. */
type ValueIn<T> = T extends ProjectedValue<never> ? T : T extends object ? ValueIn<T[keyof T]> : never

/** The part of a row that a representation needs. */
export type ShownPassport = RowOf<ValueIn<typeof passportMembers>>

/** Lists the members that a reader sees of a passport of this flow. */
export function listMembers(flow: Flow, reader: Reader): (readonly [string, ProjectedValue<ShownPassport>])[] {
  return Object.entries<Member<ShownPassport>>(passportMembers).flatMap(([name, member]) => {
    const value = member[flow]?.[reader]
    return value ? [[name, value] as const] : []
  })
}

const ownMembers = [...listMembers('sheet', 'owner'), ...listMembers('product', 'owner')]

/** The columns that a representation needs, each once. */
export const shownColumns = [...new Set(ownMembers.flatMap(([, value]) => value.columns))]
