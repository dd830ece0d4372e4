import { Ajv } from 'ajv'
import { expect } from 'chai'
import { registry } from '../../../core/app/registry.ts'
import { Environment } from '../../../core/app/settings.environment.ts'
import { actSchemas, intentSchema } from '../../../core/chains/signer/intents.ts'

/** Lists the schemas by which the product validates what comes in; its processes do not check them at their start. */
function listSchemas(): [string, object][] {
  const ofOperations = registry.operations.flatMap(({ declaration: { id, body, params, query } }) => [
    ...(body ? [[`${id} body`, body] as const] : []),
    ...Object.entries({ ...params, ...query }).map(([name, schema]) => [`${id} ${name}`, schema] as const),
  ])
  const ofActs = Object.entries(actSchemas).map(([name, schema]) => [`act ${name}`, schema] as const)
  return [...ofOperations, ...ofActs, ['intent', intentSchema], ['environment', Environment]].map(([name, schema]) => [
    String(name),
    schema as object,
  ])
}

describe('Repository rules: schemas', () => {
  const ajv = new Ajv({ strict: false, logger: false })

  it('are valid by the meta-schema of JSON Schema', () => {
    const schemas = listSchemas()
    expect(schemas.length).to.be.above(50)
    expect(schemas.filter(([, schema]) => !ajv.validateSchema(schema)).map(([name]) => name)).to.deep.equal([])
    expect(ajv.validateSchema({ type: 'text' }), 'a schema that is not valid').to.equal(false)
  })
})
