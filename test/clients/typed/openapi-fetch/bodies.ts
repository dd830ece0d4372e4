import { assertThat, unwrap, waitForImport, type Stage } from '../stage.ts'

/**
 * What the document allows and only openapi-fetch can say. oazapfts writes one body for an operation, that of the first
 * media type, and reads an answer as text wherever any answer of the operation, a problem too, is JSON.
 */
export async function callWithEveryBody(stage: Stage): Promise<void> {
  await importFiles(stage)
  await readPicture(stage)
}

/** Imports files of every media type that the document names. */
async function importFiles({ createClient, key, application }: Stage): Promise<void> {
  const api = createClient({ 'x-api-key': key })
  const rows = [
    { destination: 'reference', kind: 'field' as const, source: 'ref', required: true },
    { destination: 'product.idGranularity', kind: 'constant' as const, value: 'item' },
    { destination: 'product.name', kind: 'field' as const, source: 'name' },
    { destination: 'product.itemNumber', kind: 'field' as const, source: 'ref' },
  ]
  const { id: mapperId } = await unwrap(
    api.POST('/v1/import/mappers', { body: { application, type: 'file', name: 'Bags of files', format: 'csv', rows } }),
  )
  const query = { entityName: 'DppPassport', application } as const
  const write = (itemNumber: string) => JSON.stringify({ product: { idGranularity: 'item', name: 'Bag', itemNumber } })
  const text = (body: string, type: string) => ({
    body,
    bodySerializer: (given: unknown) => String(given),
    headers: { 'Content-Type': type },
  })
  const lines = `${write('N-1')}\n${write('N-2')}\n`
  const asLines = await unwrap(api.POST('/v1/imports', { params: { query }, ...text(lines, 'application/x-ndjson') }))
  const table = 'ref,name\nT-1,Bag\n'
  const asTable = await unwrap(
    api.POST('/v1/imports', { params: { query: { ...query, mapperId } }, ...text(table, 'text/csv') }),
  )
  const form = new FormData()
  form.append('file', new Blob([`[${write('F-1')}]`], { type: 'application/json' }), 'bags.json')
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
  await waitForImport(api, asLines.id, 2)
  for (const { id } of [asTable, asForm, asText]) await waitForImport(api, id, 1)
}

/** Reads the code of a passport as PNG, whose bytes are no text. */
async function readPicture({ createClient, key }: Stage): Promise<void> {
  const api = createClient({ 'x-api-key': key })
  const filters = api.toQuery([{ field: 'status', operator: 'eq', value: 'published' }])
  const { data: [passport] } = await unwrap(api.GET('/v1/dpp/passports', { params: { query: { filters } } }))
  assertThat(passport !== undefined, 'a passport is published')
  const { id } = passport
  const bytes = await unwrap(
    api.GET('/v1/dpp/passports/{id}/qr-code', { params: { path: { id }, query: { format: 'png' } }, parseAs: 'arrayBuffer' }),
  )
  assertThat(Buffer.from(bytes).subarray(1, 4).toString() === 'PNG', 'the picture is a PNG')
}
