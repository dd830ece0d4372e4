import { setTimeout as sleep } from 'node:timers/promises'
import { startWatchdog } from '../../../../core/queue/engine/watchdog.ts'

/** A process whose watchdog waits for a second: it beats for longer than that, says so, and then stands still. */
const watchdog = startWatchdog(1)
const beating = setInterval(watchdog.beat, 100)
await sleep(2_500)
clearInterval(beating)
process.stdout.write('alive\n')
for (;;);
