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
  oneOfWords,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { entityNames } from '../../../kernel/words.ts'
import { duplicatePolicies, entityName } from './imports.schema.ts'
import { delimiterPattern } from './delimiters.ts'

export const mapperTypes = ['file', 'url'] as const
export const mapperFormats = ['json', 'csv'] as const
export const rowKinds = ['field', 'constant', 'template', 'lookup', 'concat'] as const

/** The maximum number of rows of a mapper. */
export const maxMapperRows = 500

const typeDescription = 'file: uploads. url: also fetches `url`.'
const source = Type.String({ minLength: 1, maxLength: 500 })

export const MapperRow = object(
  {
    destination: string('Path, as data.materials[0].name.', {
      minLength: 1,
      maxLength: 500,
    }),
    kind: oneOf(
      rowKinds,
      'field: `source`. constant: `value`. template: `value` with {{source}}. lookup: `source` by `lookup`. '
        + 'concat: sources joined by `value`.',
    ),
    source: optional(
      Type.Union([source, Type.Array(source, { minItems: 1, maxItems: 20 })], {
        description: 'CSV column or JSONPath (`$.` optional); for concat a list.',
      }),
    ),
    value: optional(Type.Unknown({ description: 'Any JSON for constant, else text.' })),
    transforms: optional(
      list(
        string(
          'trim, upper, lower, gtin, slug, country, unit, granularity, integer, boolean, percent, day, number, '
            + 'number(<decimal sign>), measure(<unit>), default(<text>), split(<separator>), first(<separator>), '
            + 'replace(<text>,<text>), date(dd.MM.yyyy HH:mm:ss); yy is 2000 to 2079. Quote commas: replace(",", ".").',
          { minLength: 1, maxLength: 200 },
        ),
        'In order, on each element.',
        { maxItems: 10 },
      ),
    ),
    lookup: optional(
      Type.Record(Type.String(), Type.String({ maxLength: 1000 }), {
        description: 'What each value becomes.',
        maxProperties: 1000,
      }),
    ),
    lookupDefault: optional(string('What others become.', { maxLength: 1000 })),
    required: optional(boolean('Blank or null fails the row.')),
  },
  {
    title: 'ImportMapperRow',
    description: 'Source of one value.',
    examples: [{ destination: 'product.name', kind: 'field', source: 'name', transforms: ['trim'] }],
  },
)
export type MapperRow = Static<typeof MapperRow>

const members = {
  name: nameText('Unique in the application.'),
  format: oneOf(mapperFormats, 'Format of its files.'),
  rows: list(MapperRow, 'What goes where, in order.', { maxItems: maxMapperRows }),
}
const url = string('For url: https address.', { maxLength: 2048 })
const schedule = string('For url: UTC cron, at least 15 minutes apart.', {
  maxLength: 100,
})
const onDuplicate = oneOf(
  duplicatePolicies,
  'For url, if a passport exists; default: schedules update, manual runs skip.',
)
const readingOptions = {
  encoding: string('For url, CSV: WHATWG label.', { maxLength: 40 }),
  delimiter: string('For url, CSV: a character or tab.', { pattern: delimiterPattern }),
  sheet: string('For url, Excel; default: the first.', { minLength: 1, maxLength: 200 }),
}
const headers = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  maxProperties: 20,
  description: 'Sent with each fetch; answered as null.',
})

export const NewMapper = object(
  {
    application: uuid('Its application.'),
    entityName,
    type: oneOf(mapperTypes, typeDescription),
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
    type: optional(oneOf(mapperTypes, typeDescription)),
    format: optional(members.format),
    rows: optional(members.rows),
    url: optional(nullable(url)),
    schedule: optional(nullable(schedule)),
    headers: optional(
      nullable(
        Type.Record(Type.String(), nullable(Type.String({ maxLength: 4096 })), {
          maxProperties: 20,
          description: 'Sets these; null removes one, or all.',
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
    entityName: oneOfWords(entityNames, 'What its rows become.'),
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
  { title: 'ImportMapper', description: 'How files of a foreign shape become records.' },
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
