import { sheetPassportStatement } from '../../../core/features/dpp/passports/store/passports.store.insert.ts'
import { createPlanTable, readPlans } from '../../../core/features/organization/index.ts'
import { createMeters, type Meters } from '../../../core/meters/index.ts'
import { createUnmeteredStatement } from './unmetered.ts'

/**
 * Starts the API as it is, except that creating a passport of a sheet takes no unit and records none: what quotas cost
 * is measured against it.
 */
const services = { clock: { now: () => new Date() }, table: createPlanTable(readPlans()) }
const meters = createMeters({ url: process.env['DATABASE_URL'] ?? '', name: 'bench', maxConnections: 1 }, services)
const ticket = { block: 1, giveBack: () => undefined, drop: () => undefined }
const shared = Object.getPrototypeOf(meters) as Pick<Meters, 'takeUnit'>
shared.takeUnit = () => Promise.resolve(ticket)
await meters.close()
Object.assign(sheetPassportStatement, createUnmeteredStatement())

await import('../../../core/server.ts')
