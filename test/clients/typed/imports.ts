import { unwrap, waitForJob, assertThat, toJson, type Client, type Stage } from './client.ts'

const rows = [
  { destination: 'reference', kind: 'field' as const, source: 'ref', required: true },
  { destination: 'product.idGranularity', kind: 'constant' as const, value: 'item' },
  { destination: 'product.name', kind: 'field' as const, source: 'name' },
  { destination: 'product.itemNumber', kind: 'field' as const, source: 'ref' },
]

/** Mappers: suggested, tried, made, changed and run. @returns one that reads CSV */
async function callMappers(api: Client, { application, newDomain }: Stage): Promise<string> {
  await unwrap(
    api.POST('/v1/import/mappers/suggest-mapping', { body: { application, fields: [{ id: 'name', example: 'Bag' }] } }),
  )
  const mapper = { format: 'csv' as const, rows }
  await unwrap(api.POST('/v1/import/mappers/preview', { body: { mapper, application, sample: 'ref,name\n1,Bag\n' } }))
  const body = { application, type: 'file' as const, name: 'Bags', format: 'csv' as const, rows }
  const { id } = await unwrap(api.POST('/v1/import/mappers', { body }))
  await unwrap(api.PATCH('/v1/import/mappers/{id}', { params: { path: { id } }, body: { name: 'All bags' } }))
  const { name } = await unwrap(api.GET('/v1/import/mappers/{id}', { params: { path: { id } } }))
  assertThat(name === 'All bags', 'the name is changed')
  const query = { filters: toJson([{ field: 'id', operator: 'eq', value: id }]) }
  assertThat(
    (await unwrap(api.GET('/v1/import/mappers', { params: { query } }))).total === 1,
    'a filter by id finds one mapper',
  )
  const url = `https://${newDomain()}/bags.csv`
  const fetched = await unwrap(
    api.POST('/v1/import/mappers', { body: { ...body, type: 'url', name: 'From an address', url } }),
  )
  const { jobId } = await unwrap(api.POST('/v1/import/mappers/{id}/run', { params: { path: { id: fetched.id } } }))
  await unwrap(api.GET('/v1/import/mappers/running', { params: { query: { application } } }))
  await waitForJob(api, jobId)
  await unwrap(api.DELETE('/v1/import/mappers/{id}', { params: { path: { id: fetched.id } } }))
  return id
}

/** Imports files of every form that the document names, and reads what became of them. */
export async function callImports(api: Client, stage: Stage): Promise<void> {
  const mapperId = await callMappers(api, stage)
  const { application } = stage
  const query = { entityName: 'DppPassport', application } as const
  const item = (itemNumber: string) => ({ product: { idGranularity: 'item', name: 'Bag', itemNumber } })
  const asJson = await unwrap(api.POST('/v1/imports', { params: { query }, body: [item('J-1')] }))
  await unwrap(
    api.GET('/v1/imports/{id}/progress', {
      params: { path: { id: asJson.id } },
      parseAs: 'text',
      headers: { Accept: 'text/event-stream' },
    }),
  )
  const text = (body: string, type: string) => ({
    body,
    bodySerializer: (given: unknown) => String(given),
    headers: { 'Content-Type': type },
  })
  const lines = `${toJson(item('N-1'))}\n${toJson(item('N-2'))}\n`
  const asLines = await unwrap(api.POST('/v1/imports', { params: { query }, ...text(lines, 'application/x-ndjson') }))
  const table = 'ref,name\nT-1,Bag\n'
  const asTable = await unwrap(
    api.POST('/v1/imports', { params: { query: { ...query, mapperId } }, ...text(table, 'text/csv') }),
  )
  const form = new FormData()
  form.append('file', new Blob([toJson([item('F-1')])], { type: 'application/json' }), 'bags.json')
  const asForm = await unwrap(
    api.POST('/v1/imports', { params: { query }, body: { file: 'bags.json' }, bodySerializer: () => form }),
  )
  const asText = await unwrap(
    api.POST('/v1/imports', {
      params: { query },
      body: { text: table.replace('T-1', 'T-2'), format: 'csv', mapping: rows },
      headers: { 'Content-Type': 'application/vnd.tessera.import+json' },
    }),
  )
  const suggested = await unwrap(
    api.POST('/v1/imports/table', { body: { application, text: 'Seriennummer;Bezeichnung\nS-1;Tasche\n' } }),
  )
  assertThat('mapping' in suggested && suggested.unclear.length > 0, 'a suggested mapping is told before it is used')
  const imported = await unwrap(
    api.POST('/v1/imports/table', { body: { application, text: table.replace('T-1', 'T-3'), mapping: rows } }),
  )
  assertThat('jobId' in imported, 'a table with a mapping is imported')
  for (const [{ id }, expected] of [
    [asJson, 1],
    [asLines, 2],
    [asTable, 1],
    [asForm, 1],
    [asText, 1],
    [imported as { id: string }, 1],
  ] as const) {
    await waitForJob(api, id)
    const { completed } = await unwrap(api.GET('/v1/imports/{id}', { params: { path: { id } } }))
    assertThat(completed === expected, `${expected} rows of ${id} are imported`)
  }
  const filters = toJson([{ field: 'name', operator: 'eq', value: 'batch' }])
  const { total } = await unwrap(api.GET('/v1/imports', { params: { query: { filters } } }))
  assertThat(total >= 4, 'the imports are listed')
  await unwrap(api.GET('/v1/imports/{id}/report', { params: { path: { id: asTable.id } } }))
  const events = await unwrap(
    api.GET('/v1/events', {
      params: { query: { filters: toJson([{ field: 'type', operator: 'eq', value: 'create' }]) } },
    }),
  )
  assertThat(
    events.data.every(({ type }) => type === 'create'),
    'a filter by type is kept to',
  )
}
