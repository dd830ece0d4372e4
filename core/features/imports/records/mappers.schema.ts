import {
  enumFilter,
  uuidFilter,
  textFilter,
  commonFilters,
  commonSorters,
  createListSchema,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  boolean,
  instant,
  list,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { duplicatePolicies } from './imports.schema.ts'
import { delimiterPattern } from './delimiters.ts'

export const mapperTypes = ['file', 'url'] as const
export const mapperFormats = ['json', 'csv'] as const
export const rowKinds = ['field', 'constant', 'template', 'lookup', 'concat'] as const

/** The maximum number of rows of a mapper. */
export const maxMapperRows = 500

const source = Type.String({ minLength: 1, maxLength: 500 })

export const MapperRow = object(
  {
    destination: string('Dotted path in a new passport: product.name, data.materials[0].name.', {
      minLength: 1,
      maxLength: 500,
    }),
    kind: oneOf(
      rowKinds,
      'field: what is at `source`. constant: `value`. template: `value` with {{source}} in it. '
        + 'lookup: `source` by `lookup`. concat: sources joined by `value`.',
    ),
    source: optional(
      Type.Union([source, Type.Array(source, { minItems: 1, maxItems: 20 })], {
        description: 'CSV: a column. JSON: a JSONPath (RFC 9535) into an item, also without `$.`. Of concat: a list.',
      }),
    ),
    value: optional(Type.Unknown({ description: 'Of constant: a value of JSON. Of template and concat: text.' })),
    transforms: optional(
      list(
        string(
          'trim, upper, lower, number, integer, boolean, date(<format>), split(<separator>), replace(<text>,<text>), '
            + 'default(<text>), gtin or slug. number(,): the sign before decimals. date(dd.MM.yyyy HH:mm:ss), yy is 2000 to 2079. '
            + 'A comma in quotes: replace(",", ".").',
          { minLength: 1, maxLength: 200 },
        ),
        'Done in this order, to each element of a list.',
        { maxItems: 10 },
      ),
    ),
    lookup: optional(
      Type.Record(Type.String(), Type.String({ maxLength: 1000 }), {
        description: 'Of lookup: what each value becomes.',
        maxProperties: 1000,
      }),
    ),
    lookupDefault: optional(string('Of lookup: what any other value becomes.', { maxLength: 1000 })),
    required: optional(boolean('Whether a row without this value fails; blank and null are none.')),
  },
  {
    title: 'ImportMapperRow',
    description: 'Where one value of a passport comes from.',
    examples: [{ destination: 'product.name', kind: 'field', source: 'name', transforms: ['trim'] }],
  },
)
export type MapperRow = Static<typeof MapperRow>

const members = {
  name: nameText('Name, unique in the application.'),
  format: oneOf(mapperFormats, 'What files it reads.'),
  rows: list(MapperRow, 'What goes where, in this order.', { maxItems: maxMapperRows }),
}
const url = string('Of type url: the https address that is fetched.', { maxLength: 2048 })
const schedule = string('Of type url: five fields of cron in UTC, at least 15 minutes apart.', {
  maxLength: 100,
})
const onDuplicate = oneOf(
  duplicatePolicies,
  'Of type url: rows whose passport is there; unset, a schedule updates them, a run by hand skips.',
)
const readingOptions = {
  encoding: string('Of type url, CSV: WHATWG label; else as the source says.', { maxLength: 40 }),
  delimiter: string('Of type url, CSV: a character, or tab.', { pattern: delimiterPattern }),
  sheet: string('Of type url, Excel; else the first.', { minLength: 1, maxLength: 200 }),
}
const headers = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  maxProperties: 20,
  description: 'Sent with each fetch. Write-only: answers show values as null.',
})

export const NewMapper = object(
  {
    application: uuid('Application whose passports it makes.'),
    type: oneOf(mapperTypes, 'file: for uploads. url: fetched as well.'),
    ...members,
    url: optional(nullable(url)),
    schedule: optional(nullable(schedule)),
    headers: optional(nullable(headers)),
    onDuplicate: optional(nullable(onDuplicate)),
    encoding: optional(nullable(readingOptions.encoding)),
    delimiter: optional(nullable(readingOptions.delimiter)),
    sheet: optional(nullable(readingOptions.sheet)),
  },
  { title: 'NewImportMapper', description: 'A mapper to create.' },
)
export type NewMapper = Static<typeof NewMapper>

export const MapperPatch = object(
  {
    name: optional(members.name),
    type: optional(oneOf(mapperTypes, 'file or url; url needs an address.')),
    format: optional(members.format),
    rows: optional(members.rows),
    url: optional(nullable(url)),
    schedule: optional(nullable(schedule)),
    headers: optional(
      nullable(
        Type.Record(Type.String(), nullable(Type.String({ maxLength: 4096 })), {
          maxProperties: 20,
          description: 'Headers to set; null removes one, or all of them.',
        }),
      ),
    ),
    onDuplicate: optional(nullable(onDuplicate)),
    encoding: optional(nullable(readingOptions.encoding)),
    delimiter: optional(nullable(readingOptions.delimiter)),
    sheet: optional(nullable(readingOptions.sheet)),
  },
  {
    title: 'ImportMapperPatch',
    description: 'JSON Merge Patch (RFC 7396) of a mapper; `rows` replaces the whole list.',
  },
)
export type MapperPatch = Static<typeof MapperPatch>

export const Mapper = object(
  {
    id: uuid('Identifier of the mapper.'),
    application: uuid('Its application.'),
    type: oneOf(mapperTypes, 'file, or url for one that is fetched.'),
    ...members,
    url: nullable(url),
    schedule: nullable(schedule),
    headers: nullable(
      Type.Record(Type.String(), Type.Null(), {
        description: 'Names of the headers; values are not shown.',
      }),
    ),
    onDuplicate: nullable(onDuplicate),
    encoding: nullable(readingOptions.encoding),
    delimiter: nullable(readingOptions.delimiter),
    sheet: nullable(readingOptions.sheet),
    nextRunAt: nullable(instant('When it is fetched next by its schedule.')),
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  { title: 'ImportMapper', description: 'How files of a foreign shape become passports.' },
)
export type Mapper = Static<typeof Mapper>

export const mapperList: ListDeclaration = {
  rowSchema: Mapper,
  filters: {
    ...commonFilters,
    'application.id': uuidFilter('eq'),
    name: textFilter('eq', 'contains'),
    type: enumFilter(mapperTypes, 'eq', 'ne'),
  },
  sorters: [...commonSorters, 'name'],
}
export const MapperList = createListSchema(Mapper, 'ImportMapperList')
