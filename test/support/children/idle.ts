/** A process that is there and does nothing, in the place of one that a test does not need. */
const end = () => process.exit(0)
process.on('SIGTERM', end)
process.on('disconnect', end)
process.send?.({ ready: true })
