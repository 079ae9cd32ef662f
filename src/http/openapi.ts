/** What does the service say about itself? The OpenAPI document, made from the schemas that the routes declare. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

/** To be installed before the first route. Schemas describe; they never coerce, refuse or serialise anything. */
export async function installOpenapi(app: FastifyInstance): Promise<void> {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Machine Rating, Monetization and Verification Service', version: '1' },
    },
    convertConstToEnum: false,
  });
}
