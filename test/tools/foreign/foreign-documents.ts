import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An OpenAPI document of somebody else that a package ships. */
export interface ForeignDocument {
  readonly name: string
  readonly bytes: Buffer
  /** One call: the operation by its name, its arguments, and what the API has to receive. */
  readonly call: { readonly tool: string; readonly args: Record<string, unknown>; readonly request: string }
}

const packages = new URL('../../../node_modules/', import.meta.url).pathname
const read = (name: string, file: string) => readFileSync(join(packages, name, file))

const booking = '3f3e3e1e-7c4a-4d2c-9c11-0a1b2c3d4e5f'

export const foreignDocuments: readonly ForeignDocument[] = [
  {
    name: 'Figma REST API (3.1, YAML)',
    bytes: read('@figma/rest-api-spec', 'openapi/openapi.yaml'),
    call: { tool: 'post_comment', args: { file_key: 'k1', message: 'Good' }, request: 'POST /v1/files/k1/comments' },
  },
  {
    name: 'Rclone RC (3.1, JSON)',
    bytes: read('rclone-openapi', 'openapi.json'),
    call: { tool: 'core_version', args: {}, request: 'POST /core/version' },
  },
  {
    name: 'Scalar Galaxy (3.1, YAML)',
    bytes: read('@scalar/galaxy', 'dist/latest.yaml'),
    call: { tool: 'create_planet', args: { name: 'Mars' }, request: 'POST /planets' },
  },
  {
    name: 'Train Travel (3.1, JSON)',
    bytes: read('@readme/oas-examples', '3.1/json/train-travel.json'),
    call: { tool: 'delete_booking', args: { bookingId: booking }, request: `DELETE /bookings/${booking}` },
  },
  {
    name: 'Swagger Petstore (3.0, YAML)',
    bytes: read('@readme/oas-examples', '3.0/yaml/petstore.yaml'),
    call: { tool: 'delete_order', args: { orderId: 3 }, request: 'DELETE /v2/store/order/3' },
  },
]
