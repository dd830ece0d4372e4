import type { ReportWords } from '../words.types.ts'

export const report: ReportWords = {
  title: (name) => `Aviso: ${name}`,
  head: 'Avisar de algo sobre este producto',
  intro: (organization) => `Lo que escriba llega a ${organization}, que ha publicado este pasaporte, y a nadie más.`,
  kind: '¿De qué se trata?',
  kinds: {
    fake: 'El producto podría ser falso',
    stolen: 'Es robado',
    defect: 'Tiene un defecto o es peligroso',
    other: 'Otra cosa',
  },
  text: '¿Qué ha observado?',
  textUse: 'Dónde, cuándo y qué no encaja. Como máximo, 2000 caracteres.',
  email: 'Su correo electrónico, si se le puede preguntar algo más',
  emailUse: (organization) => `${organization} lo ve junto con su aviso. Déjelo vacío para permanecer en el anonimato.`,
  button: 'Enviar el aviso',
  wrong: {
    kind: 'Elija de qué se trata.',
    text: 'Escriba lo que ha observado, en 2000 caracteres como máximo.',
    email: 'No es una dirección de correo electrónico. Corríjala o deje el campo vacío.',
  },
  tooMany: 'Han llegado demasiados avisos en poco tiempo. Vuelva a intentarlo más tarde.',
  sent: {
    head: 'Gracias',
    text: (organization) => `Su aviso ha llegado a ${organization}. No recibirá ninguna respuesta por nuestra parte.`,
  },
  back: 'Volver al pasaporte',
}
