import { createContext } from '../../core/app/context.ts'
import { assertSettings } from '../../core/app/settings.ts'
import { verifyCredential } from '../../core/features/dpp/index.ts'
import { startHttpServer } from '../../core/http/serve/http-server.ts'
import { runProcess } from '../../core/kernel/process/process.ts'
import { runPlatform, type Platform } from '../../core/start/platform.ts'
import { createVcApi } from './routes.ts'
import { createVcApiService } from './service.ts'
import { findPlatformSettings, readDoorPort } from './settings.ts'

const printLine = (line: string) => process.stderr.write(`${line}\n`)

/** Starts a platform as `npm start` does, but without its demo. */
const startOwnPlatform = (): Promise<Platform> =>
  runPlatform({
    env: process.env,
    onLine: (name, text) => printLine(`${name} ${text}`),
    warn: printLine,
    giveUp: (cause) => {
      throw cause
    },
  })

/**
 * Opens the VC-API for outside test suites: beside the platform that runs on DATA_DIR, or beside one that it starts. The
 * door is a process of its own, so the product has no route that signs for strangers.
 */
async function openDoor() {
  const port = readDoorPort(process.env)
  const found = findPlatformSettings(process.env)
  const own = found ? undefined : await startOwnPlatform()
  const settings = assertSettings(found ?? (own as Platform).settings, 'keyEncryptionKey')
  const { context, close } = await createContext(settings, 'door')
  const api = createVcApiService(context, verifyCredential)
  const server = await startHttpServer(
    createVcApi(context, api),
    port,
    settings.host,
    settings.baseUrl,
    'VC_API_TEST_PORT',
  )
  context.log.warn({ port }, 'the VC-API for test suites answers: it signs for whoever reaches it')
  return {
    async stop() {
      await server.stop()
      await close()
      await own?.stop()
    },
  }
}

runProcess('door', openDoor, 90_000)
