//! A headless Chromium, driven over the DevTools protocol: opens pages, presses keys, clicks, asks the page, and keeps
//! what the page requested and complained of. It installs nothing: without a browser, tests say so and are done.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
];

/// A running browser; ended when dropped.
pub struct Browser {
    process: Child,
    profile: PathBuf,
    socket: WebSocket<TcpStream>,
    asked: u64,
    events: Vec<Value>,
}

impl Browser {
    /// Starts the browser that `$CHROMIUM` or the path has; else the reason why there is none.
    pub fn start(profile: PathBuf) -> Result<Browser, String> {
        let program = find().ok_or("no Chromium: neither $CHROMIUM nor the path has one")?;
        let mut process = Command::new(&program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let stderr = BufReader::new(process.stderr.take().expect("stderr is piped"));
        let mut lines = stderr.lines().map_while(Result::ok);
        let Some(address) = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
        else {
            let _ = process.kill();
            let _ = process.wait();
            return Err(format!("{} ends before it listens", program.display()));
        };
        // Keeps reading, so that the browser is never blocked by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.trim_start_matches("ws://").split('/').next().expect("an address");
        let stream = TcpStream::connect(host).expect("the browser listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let (socket, _) = tungstenite::client(address.as_str(), stream).expect("the browser answers");
        Ok(Browser { process, profile, socket, asked: 0, events: Vec::new() })
    }

    /// Opens a page in a window of this size and waits until it is ready.
    pub fn open(&mut self, url: &str, (width, height): (u32, u32), dark: bool) -> Page<'_> {
        let target = self.ask("", "Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = self.ask("", "Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        let session = attached["sessionId"].as_str().expect("a session").to_owned();
        let mut page = Page { browser: self, session, target };
        for domain in ["Page", "Network", "Runtime", "Log"] {
            page.ask(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        page.ask("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        page.ask("Emulation.setEmulatedMedia", features);
        page.ask("Page.navigate", json!({"url": url}));
        page.wait("document.documentElement?.dataset.ready === 'true'");
        page
    }

    /// Sends a command and waits for its answer; what happens meanwhile is kept.
    fn ask(&mut self, session: &str, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let mut command = json!({"id": id, "method": method, "params": params});
        if !session.is_empty() {
            command["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(command.to_string())).expect("the browser listens");
        loop {
            let message = self.socket.read().unwrap_or_else(|error| panic!("{method}: {error}"));
            let Message::Text(text) = message else { continue };
            let value: Value = serde_json::from_str(&text).expect("JSON");
            if value["id"] == json!(id) {
                assert!(value.get("error").is_none(), "{method}: {value}");
                return value["result"].clone();
            }
            self.events.push(value);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn find() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).flat_map(|directory| names.map(|name| directory.join(name)));
    named.into_iter().chain(on_path).find(|program| program.is_file())
}

/// A page; closed by [`Page::close`], which checks that it kept quiet.
pub struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
    target: Value,
}

impl Page<'_> {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let session = self.session.clone();
        self.browser.ask(&session, method, params)
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"].get("value").cloned().unwrap_or(Value::Null)
    }

    /// The same as text.
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression holds.
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "never: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys, one after the other, as the names of `KeyboardEvent.key`.
    pub fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            let mut down = json!({"type": "keyDown", "key": key});
            if key.chars().count() == 1 {
                down["text"] = json!(key);
            }
            // The browser moves the focus by the key's number.
            if *key == "Tab" {
                down["windowsVirtualKeyCode"] = json!(9);
            }
            self.ask("Input.dispatchKeyEvent", down);
            self.ask("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
        }
    }

    /// Clicks on the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {{ \
             const r = document.querySelector({selector:?}).getBoundingClientRect(); \
             done([r.x + r.width / 2, r.y + r.height / 2]); }})))"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    /// Loads the page again.
    pub fn reload(&mut self) {
        self.eval("document.documentElement.dataset.ready = 'old'");
        self.ask("Page.reload", json!({}));
        self.wait("document.documentElement?.dataset.ready === 'true'");
    }

    /// Saves a picture of what is in sight into the directory of `$SELVEDGE_SCREENSHOTS`, where one is named.
    pub fn picture(&mut self, name: &str) {
        let Some(directory) = std::env::var_os("SELVEDGE_SCREENSHOTS") else { return };
        let shot = self.ask("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = base64::Engine::decode(
            &base64::engine::general_purpose::STANDARD,
            shot["data"].as_str().expect("a picture"),
        );
        std::fs::write(Path::new(&directory).join(name), bytes.expect("base64")).expect("a file");
    }

    /// Closes the page. It must have requested nothing but itself and complained of nothing.
    pub fn close(mut self) {
        self.eval("0");
        let session = json!(self.session);
        let events = self.browser.events.iter().filter(|event| event["sessionId"] == session);
        for event in events {
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                    assert!(url.starts_with("file://") && url.contains(".html"), "the page requests {url}");
                }
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => panic!("{event}"),
                _ => {}
            }
        }
        let target = self.target.clone();
        self.browser.ask("", "Target.closeTarget", json!({"targetId": target}));
    }
}
