"""A subscriber of WebSub that Flask-WebSub implements: python3 flask_websub_subscriber.py TOPIC FOLDER.

It discovers the hub of the topic, subscribes with a secret, and writes a line of JSON for each event. A line on standard
input makes it unsubscribe.
"""

import json
import logging
import socket
import sys
import threading

import flask_websub.subscriber as websub
from flask import Flask
from werkzeug.serving import make_server

SECRET = "a secret of the subscriber"

# The library sends a secret by https alone; this test is on one machine.
websub.is_secure = lambda url: True
logging.disable(logging.CRITICAL)


def say(**line):
    print(json.dumps(line), flush=True)


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]

folder = sys.argv[2]
app = Flask(__name__)
app.config["SERVER_NAME"] = f"127.0.0.1:{port}"
subscriber = websub.Subscriber(
    websub.SQLite3SubscriberStorage(f"{folder}/kept.db"),
    websub.SQLite3TempSubscriberStorage(f"{folder}/asked.db"),
)
app.register_blueprint(subscriber.build_blueprint(url_prefix="/callbacks"))
subscriber.add_success_handler(lambda topic, callback, mode: say(event=mode, topic=topic))
subscriber.add_error_handler(lambda topic, callback, reason: say(event="error", reason=reason))
# The library calls back only for bodies whose signature is right.
subscriber.add_listener(lambda topic, callback, body: say(event="content", topic=topic, body=body.decode()))

server = make_server("127.0.0.1", port, app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
with app.app_context():
    found = websub.discover(sys.argv[1])
    say(event="discovered", **found)
    callback = subscriber.subscribe(**found, secret=SECRET, lease_seconds=600)
    sys.stdin.readline()
    subscriber.unsubscribe(callback)
    sys.stdin.readline()
