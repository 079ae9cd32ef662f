// HTTP application that ponder requires; only its `/ready` is called.
import { Hono } from 'hono';

export default new Hono();
