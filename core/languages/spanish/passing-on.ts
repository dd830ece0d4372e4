import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Traspasarlo',
  title: (name) => `Traspasar: ${name}`,
  head: 'Traspasarlo',
  intro: 'La persona que indique será propietaria de este artículo en cuanto acepte.',
  prove: 'Antes de ceder algo, demuestre que es usted: inicie sesión con un código nuevo.',
  email: 'Correo electrónico de esa persona',
  offerByEmail: 'Ofrecerlo por correo',
  callingCode: 'Prefijo del país',
  phone: 'Número de teléfono de esa persona',
  offerByPhone: 'Ofrecerlo por SMS',
  note: (days) =>
    `Recibe un mensaje con un enlace que vale ${days} días. Hasta que acepte sigue siendo suyo, y puede retirar la oferta.`,
  notYours: {
    head: 'Este artículo no es suyo',
    text: 'Solo el propietario de un artículo lo traspasa. Inicie sesión con la dirección con la que lo registró a su nombre.',
  },
  closed: {
    head: 'Este artículo no se puede traspasar',
    text: 'Ya está ofrecido a alguien, archivado o retirado por su fabricante, o en una red donde los propietarios no cambian.',
  },
  back: 'Volver al pasaporte',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE: 'Ahora no se puede traspasar: quizá ya está ofrecido a alguien.',
    AUTH_FRESH_CODE_REQUIRED: 'Su código tiene más de 10 minutos. Inicie sesión con uno nuevo.',
    VALIDATION_FAILED: 'Revise la dirección: debe existir y no ser la suya.',
    RATE_LIMITED: 'Hoy han salido demasiados mensajes. Inténtelo mañana.',
    DPP_TRANSFER_NOT_ALLOWED: 'Esto es para otra persona, no para quien ha iniciado sesión.',
  },
  refused: 'No ha funcionado. Inténtelo de nuevo.',
  link: {
    title: (name) => `${name} para usted`,
    intro: (brand) =>
      `El propietario de este artículo se lo traspasa. ${brand} lleva la cuenta de quién es su propietario.`,
    signIn: 'Inicie sesión con la dirección que recibió el mensaje y después acepte o rechace.',
    text: 'Su token pasa al monedero que tiene usted aquí, y será su propietario.',
    accept: 'Aceptarlo',
    decline: 'Rechazar',
    other:
      'Esta oferta es para otra dirección que la de su sesión. Cierre la sesión y use la dirección que recibió el mensaje.',
    declined: { head: 'Lo ha rechazado', text: 'El artículo se queda con su propietario.' },
    broken: {
      head: 'Este enlace no funciona',
      text: 'Ha caducado o no se copió entero, o la oferta fue aceptada, rechazada o retirada.',
    },
  },
  job: {
    waiting: {
      head: 'Está en camino…',
      text: 'Se le está entregando el artículo. Tarda unos segundos; la página se actualiza sola.',
      bar: 'Entrega en curso',
    },
    done: { head: 'Es suyo', text: 'Se le ha traspasado el artículo y el token está en su monedero.' },
    failed: {
      head: 'No ha funcionado',
      text: 'El artículo no se ha traspasado.',
      again: 'No se ha perdido nada: sigue siendo de su propietario, que puede ofrecerlo de nuevo.',
    },
  },
  list: {
    head: 'Traspasos',
    to: (address) => `a ${address}`,
    received: 'para usted',
    until: (day) => `hasta el ${day}`,
    made: {
      open: 'ofrecido',
      accepted: 'aceptado, en camino',
      completed: 'traspasado',
      failed: 'no ha funcionado, sigue siendo suyo',
      declined: 'rechazado',
      withdrawn: 'retirado',
      expired: 'caducado',
    },
    got: {
      open: 'abierto: use el enlace del mensaje',
      accepted: 'aceptado, en camino',
      completed: 'suyo',
      failed: 'no ha funcionado',
      declined: 'lo ha rechazado',
      withdrawn: 'retirado',
      expired: 'caducado',
    },
    withdraw: 'Retirar la oferta',
    sent: 'El mensaje está en camino. Aquí verá cuándo se acepta.',
  },
  message: {
    subject: (product) => `${product} es para usted`,
    mail: (product, brand, address, days) => [
      `El propietario de ${product} (${brand}) se lo traspasa.`,
      { label: 'Aceptar o rechazar', address },
      `Inicie sesión allí con este correo electrónico para aceptar o rechazar. El enlace vale ${days} días. Si no sabe de qué se trata, ignore este mensaje: no pasa nada.`,
    ],
    text: (product, brand, address) => `${product} (${brand}) se le traspasa: ${address}`,
  },
}
