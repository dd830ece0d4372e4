type Close = () => unknown

const closers: Close[] = []

/** Has something closed when this process has run its last test file: what the files share that it runs. */
export const closeAfterLastFile = (close: Close) => closers.push(close)

/** Closes all that is open. A failure keeps nothing else from being closed. */
export const closeEverything = () => Promise.allSettled(closers.splice(0).map(async (close) => close()))
