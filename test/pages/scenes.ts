import { client } from '../support/client.ts'
import { platform } from '../support/platform.ts'

/** A batch-minted passport of a fresh sheet with that name. @returns its id */
export async function batchMinted(name: string): Promise<string> {
  const api = client(platform.apiKey)
  const sheet = await api.post('/v1/dpp/products', {
    application: platform.application, network: 'EthereumAnvil', name, status: 'ACTIVE',
    productFields: [{ name: 'material', label: 'Material', type: 'string' }], fields: { material: 'Waxed cotton' },
    passportsFields: [{ name: 'serialNumber', label: 'Serial number', type: 'string' }],
  })
  const job = await api.post(`/v1/dpp/products/${sheet.body['id']}/mint`, [{ serialNumber: 'A-1' }])
  for (;;) {
    const status = await api.get(`/v1/dpp/products/${sheet.body['id']}/mint/${job.body['jobId']}/status`)
    if (status.body['status'] !== 'pending') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const passports = await api.get(`/v1/dpp/passports?filters[product][eq]=${sheet.body['id']}`)
  return String(passports.body['data']?.[0]?.['id'])
}

/** The link that its organization hands to the buyer. */
export async function magicLink(passport: string): Promise<string> {
  const token = await client(platform.apiKey).get(`/v1/dpp/passports/${passport}/magic-token`)
  return String(token.body['url'])
}
